import { cx } from '../browser/cx.ts';
import { Dot, type Tone } from '../feedback/state-dot.tsx';

type Props<V extends string> = {
  label: string;
  states: readonly { value: V; word: string; tone: Tone }[];
  chosen: readonly V[];
  onChange: (chosen: V[]) => void;
};

/** Which states are shown: each on or off; none on shows all. */
export const StateToggles = <V extends string>({ label, states, chosen, onChange }: Props<V>) => {
  // Its memoised form is larger, and it renders with each of its few changes anyway.
  'use no memo';
  return (
    <fieldset aria-label={label} className="flex min-w-0 flex-wrap gap-1">
      {states.map(({ value, word, tone }) => {
        const isOn = chosen.includes(value);
        return (
          <button
            key={value}
            type="button"
            aria-pressed={isOn}
            onClick={() => onChange(isOn ? chosen.filter((other) => other !== value) : [...chosen, value])}
            className={cx(
              'flex h-(--control-height) items-center gap-2 rounded-md border px-2.5 whitespace-nowrap',
              isOn
                ? 'border-accent bg-accent-soft font-medium text-ink'
                : 'border-transparent text-muted hover:bg-hover hover:text-ink',
            )}
          >
            <Dot tone={tone} />
            {word}
          </button>
        );
      })}
    </fieldset>
  );
};
