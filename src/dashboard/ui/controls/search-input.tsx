import { Search, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { controlClass } from './text-input.tsx';
import { cx } from '../browser/cx.ts';

type Props = {
  label: string;
  value: string;
  onChange: (text: string) => void;
  placeholder?: string;
  className?: string;
};

/**
 * Searches while typing. The text updates immediately, even if the page follows later; an external change (Back, a
 * removed chip) replaces it. `/` focuses the field.
 */
export const SearchInput = ({ label, value, onChange, placeholder, className }: Props) => {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  /** Texts that were sent and are not in `value` yet: a late update must not overwrite newer typing. */
  const [said, setSaid] = useState<readonly string[]>([]);
  const input = useRef<HTMLInputElement>(null);
  if (value !== known) {
    setKnown(value);
    const echo = said.lastIndexOf(value);
    setSaid(said.slice(echo + 1));
    if (echo === -1) setText(value);
  }
  useEffect(() => {
    const onSlash = () => input.current?.focus();
    document.addEventListener('penstock:search', onSlash);
    return () => document.removeEventListener('penstock:search', onSlash);
  }, []);
  const say = (next: string) => {
    setText(next);
    setSaid([...said, next]);
    onChange(next);
  };
  return (
    <div className={cx('relative', className)}>
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
      />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={placeholder ?? label}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={text}
        onChange={(event) => say(event.target.value)}
        className={cx(
          controlClass,
          'h-(--control-height) pr-8 pl-8 [&::-webkit-search-cancel-button]:hidden',
        )}
      />
      {text !== '' && (
        <button
          type="button"
          aria-label="Clear search"
          onClick={() => {
            say('');
            input.current?.focus();
          }}
          className="absolute top-1/2 right-1 grid size-6 -translate-y-1/2 place-items-center rounded-sm text-muted hover:text-ink"
        >
          <X aria-hidden className="size-4" />
        </button>
      )}
    </div>
  );
};
