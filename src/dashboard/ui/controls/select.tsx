import { ChevronsUpDown } from 'lucide-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { cx } from '../browser/cx.ts';
import { useFieldControl, useFieldLabelId } from './field.tsx';
import { selectClass, type SelectProps } from './select-props.ts';

const loadOpened = () => import('./opened-select.tsx');
/** A failure shows when the list is opened. */
const preloadOpened = () => void loadOpened().catch(() => undefined);

/**
 * One of several. The code of the list loads on first use. Within a form, give it `field.value` and `field.onChange` of a
 * react-hook-form `Controller`.
 */
export const Select = <V extends string>(props: SelectProps<V>) => {
  const [list, setList] = useState<Awaited<ReturnType<typeof loadOpened>> | 'closed' | 'failed'>('closed');
  // The closed select stays, with the focus, until the list has loaded.
  const open = () => loadOpened().then(setList, () => setList('failed'));
  if (list === 'closed') return <ClosedSelect {...props} onOpen={() => void open()} />;
  if (list === 'failed') return <NativeSelect {...props} />;
  const { onChange } = props;
  return <list.OpenedSelect {...props} onChange={(value) => onChange(value as V)} />;
};

/** The browser's select, without the details of the options: a form must stay usable if the list fails to load. */
const NativeSelect = <V extends string>({
  options,
  value,
  onChange,
  onOpenChange: _,
  placeholder = 'Choose…',
  className,
  ...rest
}: SelectProps<V>) => {
  const field = useFieldControl();
  const control = useRef<HTMLSelectElement>(null);
  useEffect(() => control.current?.focus(), []);
  return (
    <select
      ref={control}
      {...field}
      {...rest}
      value={options.some((option) => option.value === value) ? (value ?? '') : ''}
      onChange={(event) => onChange(event.target.value as V)}
      className={cx(selectClass, className)}
    >
      <option value="" hidden>
        {placeholder}
      </option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
};

/** The option after the chosen one that begins with a letter, as native selects choose it. */
const nextByLetter = <V extends string>(
  options: SelectProps<V>['options'],
  value: V | null,
  letter: string,
) => {
  const after = options.findIndex((option) => option.value === value) + 1;
  return [...options.slice(after), ...options.slice(0, after)].find(({ label }) =>
    label.toLowerCase().startsWith(letter.toLowerCase()),
  );
};

type ClosedProps<V extends string> = SelectProps<V> & { onOpen: () => void };

const ClosedSelect = <V extends string>({
  options,
  value,
  onChange,
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
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      onOpen();
      return;
    }
    if (key.length > 1 || key === ' ' || ctrlKey || metaKey || altKey) return;
    const next = nextByLetter(options, value, key);
    if (next !== undefined) onChange(next.value);
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
      onPointerEnter={preloadOpened}
      onFocus={preloadOpened}
      onBlur={onBlur}
      onClick={onOpen}
      onKeyDown={onKeyDown}
      className={cx(selectClass, className)}
    >
      <span className={cx('min-w-0 flex-1 truncate', chosen === undefined && 'text-faint')}>
        {chosen?.label ?? placeholder}
      </span>
      <ChevronsUpDown aria-hidden className="size-4 text-muted" />
    </button>
  );
};
