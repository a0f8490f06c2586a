import { acrossFunctions, type RankRule } from '#contract/across.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import {
  acrossWords,
  EACH,
  MAX_EACH,
  rankRuleText,
  TOP,
  topSizes,
  type DeviceDisplay,
} from './device-display.ts';

type Props = {
  /** What is shown. */
  display: DeviceDisplay;
  deviceCount: number;
  onChange: (display: DeviceDisplay) => void;
};

const acrossOptions = acrossFunctions.map((across) => ({
  value: across,
  label: across === 'count' ? acrossWords[across] : `${acrossWords[across]} across devices`,
}));

const offeredRules: readonly RankRule[] = [
  ...(['max', 'mean', 'last', 'increase', 'count'] as const),
  ...(['-min', '-mean', '-last', '-count'] as const),
];

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Whether each device has a line, all have one, or those that rank first. */
export const DeviceDisplayFields = ({ display, deviceCount, onChange }: Props) => {
  const options = [
    ...(deviceCount > MAX_EACH ? [] : [{ value: 'each' as const, label: 'A line each' }]),
    { value: 'top' as const, label: 'Top of a ranking' },
    ...acrossOptions,
  ];
  return (
    <>
      <Field label="Show devices as">
        <Select
          options={options}
          value={display.is === 'across' ? display.across : display.is}
          onChange={(next) =>
            onChange(next === 'each' ? EACH : next === 'top' ? TOP : { is: 'across', across: next })
          }
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
                label: capitalised(rankRuleText(rule)),
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

/** A link may have others than those that are offered. */
const sizesWith = (size: number): number[] => [...new Set([...topSizes, size])].toSorted((a, b) => a - b);
const rulesWith = (rule: RankRule): RankRule[] => [...new Set([...offeredRules, rule])];
