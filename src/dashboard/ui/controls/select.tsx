import { ChevronsUpDown } from 'lucide-react';
import { lazy, Suspense, useId, useState, type KeyboardEvent } from 'react';
import { cx } from '../browser/cx.ts';
import { useFieldControl, useFieldLabelId } from './field.tsx';
import { selectClass, type SelectProps } from './select-props.ts';

const loadOpened = () => import('./opened-select.tsx');
const OpenedSelect = lazy(async () => ({ default: (await loadOpened()).OpenedSelect }));

/**
 * One of several. The code of the list loads on first use. Within a form, give it `field.value` and `field.onChange` of a
 * react-hook-form `Controller`.
 */
export const Select = <V extends string>(props: SelectProps<V>) => {
  const [wasOpened, setWasOpened] = useState(false);
  const closed = <ClosedSelect {...props} onOpen={() => setWasOpened(true)} />;
  if (!wasOpened) return closed;
  const { onChange } = props;
  return (
    <Suspense fallback={closed}>
      <OpenedSelect {...props} onChange={(value) => onChange(value as V)} />
    </Suspense>
  );
};

type ClosedProps<V extends string> = SelectProps<V> & { onOpen: () => void };

const ClosedSelect = <V extends string>({
  options,
  value,
  onBlur,
  placeholder = 'Choose…',
  disabled,
  className,
  onOpen,
  'aria-label': label,
}: ClosedProps<V>) => {
  const field = useFieldControl();
  const labelId = useFieldLabelId();
  // The list does not exist yet.
  const listId = useId();
  const chosen = options.find((option) => option.value === value);
  const openByArrow = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    onOpen();
  };
  return (
    <button
      type="button"
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- opens a list with details, which <select> cannot show
      role="combobox"
      {...field}
      aria-controls={listId}
      aria-haspopup="listbox"
      aria-expanded={false}
      aria-labelledby={label === undefined ? labelId : undefined}
      aria-label={label}
      disabled={disabled}
      onPointerEnter={() => void loadOpened()}
      onFocus={() => void loadOpened()}
      onBlur={onBlur}
      onClick={onOpen}
      onKeyDown={openByArrow}
      className={cx(selectClass, className)}
    >
      <span className={cx('min-w-0 flex-1 truncate', chosen === undefined && 'text-faint')}>
        {chosen?.label ?? placeholder}
      </span>
      <ChevronsUpDown aria-hidden className="size-4 text-muted" />
    </button>
  );
};
