import { useId, type ReactNode } from 'react';
import { cx } from '../browser/cx.ts';

type Card<V extends string> = {
  value: V;
  label: string;
  detail?: ReactNode;
  icon?: ReactNode;
  disabled?: boolean;
};

type Props<V extends string> = {
  /** The name of the group; shown above it. */
  label: string;
  cards: readonly Card<V>[];
  value: V | null;
  onChange: (value: V) => void;
  error?: string | undefined;
  /** How many stand side by side where there is room. */
  columns?: 1 | 2 | 3;
};

const grids = { 1: '', 2: '@sm:grid-cols-2', 3: '@sm:grid-cols-3' };

/** A choice of a few options, each with a description. Arrow keys move, as in any group of radio buttons. */
export const RadioCards = <V extends string>({
  label,
  cards,
  value,
  onChange,
  error,
  columns = 2,
}: Props<V>) => {
  const name = useId();
  return (
    <fieldset
      aria-describedby={error === undefined ? undefined : `${name}-error`}
      className="@container min-w-0"
    >
      <legend className="mb-1.5 font-medium">{label}</legend>
      <div className={cx('grid gap-2', grids[columns])}>
        {cards.map((card) => (
          <label
            key={card.value}
            className={cx(
              'relative flex items-start gap-3 rounded-md border px-3 py-2 hover:bg-hover',
              card.value === value ? 'border-accent bg-accent-soft' : 'border-control bg-surface',
              card.disabled === true ? 'cursor-not-allowed opacity-55' : 'cursor-pointer',
            )}
          >
            <input
              type="radio"
              name={name}
              value={card.value}
              checked={card.value === value}
              disabled={card.disabled}
              onChange={() => onChange(card.value)}
              className="peer mt-0.5 size-4 shrink-0 cursor-pointer appearance-none rounded-full border border-control bg-surface checked:border-5 checked:border-accent-fill focus-visible:outline-none"
            />
            <span
              aria-hidden
              className="pointer-events-none absolute -inset-px rounded-md outline-offset-2 outline-accent peer-focus-visible:outline-2"
            />
            <span className="min-w-0 flex-1">
              <span className="block font-medium">{card.label}</span>
              {card.detail !== undefined && <span className="block text-sm text-muted">{card.detail}</span>}
            </span>
            {card.icon !== undefined && <span className="text-muted [&_svg]:size-5">{card.icon}</span>}
          </label>
        ))}
      </div>
      <p id={`${name}-error`} aria-live="polite" className="mt-1.5 text-sm text-bad-text empty:hidden">
        {error}
      </p>
    </fieldset>
  );
};
