import { acrossFunctions, type RankRule } from '#contract/across.ts';
import { capitalize } from '#contract/capitalize.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { MAX_NAMED_DEVICES } from '../../resources/telemetry/telemetry-queries.ts';
import {
  acrossWords,
  rankRuleText,
  TOP,
  topSizes,
  type ChosenDisplay,
  type DeviceDisplay,
} from './device-display.ts';

type Props = {
  /** What is shown. */
  display: DeviceDisplay;
  deviceCount: number;
  /** Null: automatic. */
  onChange: (display: ChosenDisplay | null) => void;
};

const acrossOptions = acrossFunctions.map((across) => ({
  value: across,
  label: across === 'count' ? 'Number of devices with samples' : `${acrossWords[across]} across devices`,
}));

const offeredRules: readonly RankRule[] = [
  ...(['max', 'mean', 'last', 'increase', 'count'] as const),
  ...(['-min', '-mean', '-last', '-count'] as const),
];

/** One line per device, one line for all, or the top of a ranking. */
export const DeviceDisplayFields = ({ display, deviceCount, onChange }: Props) => {
  const isRanked = deviceCount > MAX_NAMED_DEVICES;
  const options = [
    ...(isRanked ? [] : [{ value: 'each' as const, label: 'One line per device' }]),
    { value: 'top' as const, label: 'Top devices' },
    ...acrossOptions,
  ];
  return (
    <>
      <Field label="Show devices as">
        <Select
          options={options}
          value={display.is === 'across' ? display.across : display.is}
          onChange={(next) => {
            if (next === 'each') onChange(null);
            else if (next === 'top') onChange(isRanked ? null : TOP);
            else onChange({ is: 'across', across: next });
          }}
        />
      </Field>
      {display.is === 'top' && (
        <div className="grid grid-cols-[5.5rem_1fr] gap-3">
          <Field label="Top">
            <Select
              options={sizesWith(display.top).map((size) => ({ value: String(size), label: String(size) }))}
              value={String(display.top)}
              onChange={(size) => onChange({ ...display, top: Number(size) })}
            />
          </Field>
          <Field label="By">
            <Select
              options={rulesWith(display.by).map((rule) => ({
                value: rule,
                label: capitalize(rankRuleText(rule)),
              }))}
              value={display.by}
              onChange={(by) => onChange({ ...display, by })}
            />
          </Field>
        </div>
      )}
    </>
  );
};

/** A link may contain a size or rule that the menu does not offer. */
const sizesWith = (size: number): number[] => [...new Set([...topSizes, size])].toSorted((a, b) => a - b);
const rulesWith = (rule: RankRule): RankRule[] => [...new Set([...offeredRules, rule])];
