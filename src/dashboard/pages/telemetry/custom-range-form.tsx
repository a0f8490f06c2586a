import { useState } from 'react';
import type { FixedRange } from '../../resources/telemetry/time-range.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { localTimeZone } from '../../ui/format/format-time.ts';
import type { TimeZone } from '../../ui/format/intl-formats.ts';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';
import { readMoment, secondText } from '../../ui/format/zoned-text.ts';

type Props = {
  /** What is shown now. */
  fixedRange: FixedRange;
  zone: TimeZone;
  onZone: (zone: TimeZone) => void;
  onApply: (fixedRange: FixedRange) => void;
};

type Problems = { from?: string; to?: string };

/** A range between two times, and the time zone of the page. */
export const CustomRangeForm = ({ fixedRange, zone: shownZone, onZone, onApply }: Props) => {
  // Kept with the texts, which are in this zone: the zone of the page changes later.
  const [zone, setZone] = useState(shownZone);
  const [from, setFrom] = useState(() => secondText(fixedRange.fromMs, zone));
  const [to, setTo] = useState(() => secondText(fixedRange.toMs, zone));
  const [problems, setProblems] = useState<Problems>({});

  /** The same times in the other zone. */
  const changeZone = (next: TimeZone) => {
    const inNext = (text: string) => {
      const ms = readMoment(text, zone);
      return ms === undefined ? text : secondText(ms, next);
    };
    setFrom(inNext(from));
    setTo(inNext(to));
    setZone(next);
    onZone(next);
  };

  const apply = () => {
    const fromMs = readMoment(from, zone);
    const toMs = readMoment(to, zone);
    if (fromMs !== undefined && toMs !== undefined && fromMs < toMs) {
      onApply({ fromMs, toMs });
      return;
    }
    setProblems({
      ...(fromMs === undefined && { from: 'Enter a date and a time.' }),
      ...(toMs === undefined
        ? { to: 'Enter a date and a time.' }
        : fromMs !== undefined && { to: 'Must be later than From.' }),
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
      <div className="flex items-center justify-between gap-3 pt-1">
        <span data-hint={`Local is ${localTimeZone()}`}>
          <Segmented
            label="Time zone"
            options={[
              { value: 'local', label: 'Local' },
              { value: 'utc', label: 'UTC' },
            ]}
            value={zone}
            onChange={changeZone}
          />
        </span>
        <Button type="submit" variant="primary">
          Apply
        </Button>
      </div>
    </form>
  );
};
