import { useId } from 'react';
import { cx } from '../browser/cx.ts';

type Props<V extends string> = {
  label: string;
  options: readonly { value: V; label: string }[];
  value: V | null;
  onChange: (value: V) => void;
};

/** One of a few short choices, side by side: ranges, units, views. */
export const Segmented = <V extends string>({ label, options, value, onChange }: Props<V>) => {
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="inline-flex h-(--control-height) w-fit max-w-full items-stretch overflow-x-auto rounded-md border border-control bg-surface"
    >
      {options.map((option) => (
        <label
          key={option.value}
          data-chosen={option.value === value || undefined}
          className={cx(
            'relative flex cursor-pointer items-center border-hairline px-2.5 text-sm font-medium whitespace-nowrap not-first:border-l first:rounded-l-[5px] last:rounded-r-[5px] hover:text-ink',
            option.value === value ? 'bg-accent-soft text-ink' : 'text-muted',
          )}
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 size-full cursor-pointer appearance-none rounded-[inherit] -outline-offset-2"
          />
          {option.label}
        </label>
      ))}
    </div>
  );
};
