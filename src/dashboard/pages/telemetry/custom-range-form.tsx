import { useState } from 'react';
import type { Stretch } from '../../time-range.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { zoneName, type TimeZoneChoice } from '../../ui/format-time.ts';
import { TextInput } from '../../ui/text-input.tsx';
import { readMoment, secondText } from '../../ui/zoned-text.ts';

type Props = {
  /** What is shown now. */
  stretch: Stretch;
  zone: TimeZoneChoice;
  onApply: (stretch: Stretch) => void;
};

type Problems = { from?: string; to?: string };

/** The range from one date and time to another, in the zone of the chart. */
export const CustomRangeForm = ({ stretch, zone, onApply }: Props) => {
  const [from, setFrom] = useState(() => secondText(stretch.fromMs, zone));
  const [to, setTo] = useState(() => secondText(stretch.toMs, zone));
  const [problems, setProblems] = useState<Problems>({});

  const apply = () => {
    const fromMs = readMoment(from, zone);
    const toMs = readMoment(to, zone);
    if (fromMs !== undefined && toMs !== undefined && fromMs < toMs) {
      onApply({ fromMs, toMs });
      return;
    }
    setProblems({
      ...(fromMs === undefined && { from: 'Give a date and a time.' }),
      ...(toMs === undefined
        ? { to: 'Give a date and a time.' }
        : fromMs !== undefined && { to: 'Must be later than from.' }),
    });
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
      className="flex flex-col gap-3"
    >
      <Field label="From" error={problems.from}>
        <TextInput
          type="datetime-local"
          step={1}
          value={from}
          onChange={(event) => {
            setFrom(event.target.value);
            setProblems({});
          }}
          className="tabular"
        />
      </Field>
      <Field label="To" error={problems.to}>
        <TextInput
          type="datetime-local"
          step={1}
          value={to}
          onChange={(event) => {
            setTo(event.target.value);
            setProblems({});
          }}
          className="tabular"
        />
      </Field>
      <div className="flex items-center justify-between gap-3">
        <span className="min-w-0 truncate text-sm text-muted">{zoneName(zone)}</span>
        <Button type="submit" look="primary">
          Show
        </Button>
      </div>
    </form>
  );
};
