import { useState } from 'react';
import { nowMs, useClock } from '../../ui/browser/clock.ts';
import { Field } from '../../ui/controls/field.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { formatDay, timeZoneChoice } from '../../ui/format/format-time.ts';
import { Select } from '../../ui/controls/select.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';
import { untilText } from '../../ui/format/until-text.ts';
import { dayText } from '../../ui/format/zoned-text.ts';
import {
  choicesWithin,
  dayRange,
  endOfDay,
  inDays,
  type ExpiryChoice,
  type ExpiryLimit,
} from './key-expiry.ts';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';

type Props = {
  choice: ExpiryChoice;
  /** RFC 3339, null for never, empty where no date was chosen yet. */
  value: string | null;
  limit: ExpiryLimit;
  onChange: (choice: ExpiryChoice, value: string | null) => void;
  error: string | undefined;
};

const labels: Readonly<Record<string, string>> = {
  limit: 'With your key',
  date: 'On a date…',
  never: 'Never',
};

/** When a key ends by itself. */
export const ExpiryPicker = ({ choice, value, limit, onChange, error }: Props) => {
  const zone = useStoredChoice(timeZoneChoice);
  const [choices] = useState(() => choicesWithin(limit, nowMs()));
  const [day, setDay] = useState(value === null || value === '' ? '' : dayText(Date.parse(value), zone));
  const range = useClock((now) => JSON.stringify(dayRange(now, zone, limit)));
  const { min, max } = JSON.parse(range) as ReturnType<typeof dayRange>;
  const options = choices.map((each) => ({ value: each, label: labels[each] ?? `In ${each} days` }));
  const choose = (next: ExpiryChoice) => {
    if (next === 'never') onChange(next, null);
    else if (next === 'limit') onChange(next, limit === null ? null : new Date(limit).toISOString());
    else if (next === 'date') onChange(next, endOfDay(day, zone, limit));
    else onChange(next, inDays(Number(next), nowMs()));
  };
  const pickDay = (next: string) => {
    setDay(next);
    onChange('date', endOfDay(next, zone, limit));
  };
  return (
    <div className="flex flex-col gap-3">
      <Field
        label="Expires"
        error={choice === 'date' ? undefined : error}
        {...(choice !== 'date' &&
          value !== null && {
            help:
              choice === 'limit'
                ? `${untilText(Date.parse(value), zone)}, when the key that you signed in with expires.`
                : `On ${formatDay(Date.parse(value), zone)}. You are warned 14 days before.`,
          })}
      >
        <Select options={options} value={choice} onChange={choose} />
      </Field>
      {choice === 'date' && (
        <Field
          label="Last day"
          error={value === '' && error !== undefined ? 'Choose a day.' : error}
          help={
            value === '' || value === null
              ? `From ${min} to ${max}.`
              : `It works until ${untilText(Date.parse(value), zone)}.`
          }
        >
          <TextInput
            type="date"
            min={min}
            max={max}
            value={day}
            onChange={(event) => pickDay(event.target.value)}
            className="tabular"
          />
        </Field>
      )}
      {choice === 'never' && (
        <FormNotice tone="attention">
          A key that never expires stays good until somebody revokes it, even where it has leaked. Prefer 366
          days and rotate it before then.
        </FormNotice>
      )}
    </div>
  );
};
