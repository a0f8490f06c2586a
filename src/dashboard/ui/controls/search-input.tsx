import { Search, X } from 'lucide-react';
import { useRef, useState, type KeyboardEvent } from 'react';
import { controlClass } from './text-input.tsx';
import { useAwaitedEnter } from '../browser/awaited-enter.ts';
import { cx } from '../browser/cx.ts';
import { keepFocusOnPage } from '../browser/focus-fallback.ts';
import { useSearchKey } from '../browser/search-key.ts';

type Props = {
  label: string;
  value: string;
  onChange: (text: string) => void;
  placeholder?: string;
  className?: string;
  /** Whether the rows of the page still belong to an earlier text. Left out: the results are not rows. */
  isSearching?: boolean | undefined;
};

/** The first row of the page: its link opens it. */
const firstRow = () => document.querySelector<HTMLElement>('[data-row-link]');

/**
 * Searches while typing. The text updates immediately, even if the page follows later; an external change (Back, a
 * removed chip) replaces it. `/` focuses the field, Escape clears it, and then leaves it. ArrowDown focuses the first
 * row, and Enter opens that row.
 */
export const SearchInput = ({ label, value, onChange, placeholder, className, isSearching }: Props) => {
  // Its memoised form is larger, and it renders with each typed character anyway.
  'use no memo';
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  if (value !== known) {
    setKnown(value);
    setText(value);
  }
  useSearchKey(() => input.current?.focus());
  const change = (next: string) => {
    setText(next);
    onChange(next);
  };
  const { enter, cancel } = useAwaitedEnter({
    text,
    isSearching: isSearching === true || text.trim() !== value.trim(),
    act: () => firstRow()?.click(),
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      if (text === '') {
        input.current?.blur();
        keepFocusOnPage();
      } else change('');
    }
    if (isSearching === undefined) return;
    if (event.key === 'Enter' && text.trim() !== '') enter();
    else cancel();
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    firstRow()?.focus();
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
        onChange={(event) => change(event.target.value)}
        onKeyDown={onKeyDown}
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
            change('');
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
