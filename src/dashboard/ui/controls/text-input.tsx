import type { ComponentProps } from 'react';
import { cx } from '../browser/cx.ts';
import { useFieldControl } from './field.tsx';

export const controlClass =
  'w-full min-w-0 rounded-md border border-control bg-surface text-ink placeholder:text-faint placeholder-shown:text-ellipsis hover:border-muted ' +
  'focus-visible:border-accent focus-visible:outline-2 focus-visible:-outline-offset-1 focus-visible:outline-accent ' +
  'aria-invalid:border-bad aria-invalid:focus-visible:outline-bad disabled:cursor-not-allowed disabled:opacity-60';

type InputProps = ComponentProps<'input'> & { suffix?: string };

/** One line of text. Takes what `form.register(name)` returns. */
export const TextInput = ({ className, suffix, ...props }: InputProps) => {
  const field = useFieldControl();
  const input = (
    <input
      type="text"
      autoComplete="off"
      spellCheck={false}
      {...field}
      {...props}
      className={cx(controlClass, 'h-(--control-height) px-2.5', suffix !== undefined && 'pr-16', className)}
    />
  );
  if (suffix === undefined) return input;
  return (
    <div className="relative">
      {input}
      <span
        aria-hidden
        className="pointer-events-none absolute inset-y-0 right-2.5 flex items-center text-muted"
      >
        {suffix}
      </span>
    </div>
  );
};

/**
 * A number, typed as text so that the browser does not round or scroll it; the unit is inside. With
 * `form.register(name, readNumber)` an empty field is null, and the schema rejects other text.
 */
export const NumberInput = ({ className, ...props }: InputProps) => (
  <TextInput inputMode="decimal" {...props} className={cx('tabular', className)} />
);

export const readNumber = {
  setValueAs: (text: unknown): unknown => {
    if (typeof text !== 'string') return text;
    const trimmed = text.trim();
    return trimmed === '' ? null : Number(trimmed.replace(',', '.'));
  },
};

export const TextArea = ({ className, rows = 3, ...props }: ComponentProps<'textarea'>) => (
  <textarea
    rows={rows}
    {...useFieldControl()}
    {...props}
    className={cx(controlClass, 'field-sizing-content min-h-18 px-2.5 py-1.5', className)}
  />
);
