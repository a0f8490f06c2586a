import { useState } from 'react';
import { deviceListQuery } from '#contract/devices.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { NumberInput, readNumber } from '../../ui/controls/text-input.tsx';

const spans = [
  { value: '3600', label: '1 h' },
  { value: '86400', label: '1 d' },
  { value: '604800', label: '7 d' },
];
const HOUR_S = 3_600;

type Props = { seconds: number | undefined; onChange: (seconds: number | undefined) => void };

/** Devices that were last seen longer ago than a usual or an entered time. */
export const SilentFilter = ({ seconds, onChange }: Props) => {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = () => {
    const hours = readNumber.setValueAs(text);
    const entered = deviceListQuery.shape.silentFor.safeParse(
      typeof hours === 'number' ? Math.round(hours * HOUR_S) : Number.NaN,
    );
    setProblem(
      entered.success
        ? undefined
        : 'Enter a number of hours, at most 87,600. For minutes, use a decimal: 0.5.',
    );
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
            suffix="hours"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setProblem(undefined);
            }}
          />
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
