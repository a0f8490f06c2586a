import { useState } from 'react';
import { deviceListQuery } from '#contract/devices.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { NumberInput, readNumber } from '../../ui/controls/text-input.tsx';

const spans = [
  { value: '900', label: '15 min' },
  { value: '3600', label: '1 h' },
  { value: '86400', label: '1 d' },
  { value: '604800', label: '7 d' },
];
const units = [
  { value: '60', label: 'minutes' },
  { value: '3600', label: 'hours' },
  { value: '86400', label: 'days' },
];

type Props = { seconds: number | undefined; onChange: (seconds: number | undefined) => void };

/** Devices that were last seen longer ago than a usual or an entered time. */
export const SilentFilter = ({ seconds, onChange }: Props) => {
  const [text, setText] = useState('');
  const [unitSeconds, setUnitSeconds] = useState('60');
  const [problem, setProblem] = useState<string>();
  const submit = () => {
    const count = readNumber.setValueAs(text);
    const entered = deviceListQuery.shape.silentFor.safeParse(
      typeof count === 'number' ? Math.round(count * Number(unitSeconds)) : Number.NaN,
    );
    setProblem(entered.success ? undefined : 'Enter a number greater than 0, at most 3,650 days.');
    if (entered.success) onChange(entered.data);
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field label="Silent for more than" error={problem}>
        <div className="flex gap-2">
          <NumberInput
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setProblem(undefined);
            }}
          />
          <div className="w-32 shrink-0">
            <Select
              aria-label="Unit"
              options={units}
              value={unitSeconds}
              onChange={(unit) => {
                setUnitSeconds(unit);
                setProblem(undefined);
              }}
            />
          </div>
          <Button type="submit" aria-label="Add filter: silent for more than">
            Add
          </Button>
        </div>
      </Field>
      <Segmented
        label="Common durations"
        options={spans}
        value={seconds === undefined ? null : String(seconds)}
        onChange={(value) => onChange(Number(value))}
      />
    </form>
  );
};
