import { useState } from 'react';
import { nowMs, useClock } from '../../ui/browser/clock.ts';
import { Field } from '../../ui/controls/field.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { formatDay, timeZoneChoice, untilText } from '../../ui/format/format-time.ts';
import type { TimeZone } from '../../ui/format/intl-formats.ts';
import { Select } from '../../ui/controls/select.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';
import { dayText, readMoment } from '../../ui/format/zoned-text.ts';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 366;
/** Keeps the longest choice within the service's limit if this computer's clock is a little ahead. */
const CLOCK_SLACK_MS = 60_000;

const DEFAULT_DAYS = 90;
const dayChoices = [30, 90, 180, MAX_DAYS] as const;

/** How an expiry was chosen: a number of days, with the key of the session, the end of a day, or never. */
export type ExpiryChoice = `${number}` | 'limit' | 'date' | 'never';

/** When the key of the session expires, epoch ms. Keys that it creates expire then at the latest. Null: no limit. */
export type ExpiryLimit = number | null;

/** The choices within a limit, in the order of the menu. */
const choicesWithin = (limit: ExpiryLimit, nowMs: number): ExpiryChoice[] => {
  const days = dayChoices.filter((each) => limit === null || nowMs + each * DAY_MS <= limit);
  return [
    ...days.map((each) => `${each}` as const),
    ...(limit === null ? [] : ['limit' as const]),
    'date',
    ...(limit === null ? ['never' as const] : []),
  ];
};

/** 90 days, or with the key of the session if that expires earlier. */
export const defaultChoice = (limit: ExpiryLimit, nowMs: number): ExpiryChoice =>
  choicesWithin(limit, nowMs).find((choice) => choice === `${DEFAULT_DAYS}`) ?? 'limit';

/** The time after a number of days, as RFC 3339. */
export const inDays = (days: number, nowMs: number): string =>
  new Date(nowMs + days * DAY_MS - (days === MAX_DAYS ? CLOCK_SLACK_MS : 0)).toISOString();

/** The expiry of the default choice, as RFC 3339. */
export const defaultExpiry = (limit: ExpiryLimit, nowMs: number): string =>
  limit === null || defaultChoice(limit, nowMs) !== 'limit'
    ? inDays(DEFAULT_DAYS, nowMs)
    : new Date(limit).toISOString();

/**
 * The last second of a day (`2026-11-21`) in the time zone of the dashboard, or the limit if it falls on that day; empty
 * if the text is not a day.
 */
const endOfDay = (day: string, zone: TimeZone, limit: ExpiryLimit): string => {
  const ms = readMoment(`${day}T23:59:59`, zone);
  if (ms === undefined) return '';
  const isLastDay = limit !== null && day === dayText(limit, zone);
  return new Date(isLastDay ? Math.min(ms, limit) : ms).toISOString();
};

/** The range of the date field: from tomorrow, or the day of an earlier limit, to the last day that the service accepts. */
const dayRange = (nowMs: number, zone: TimeZone, limit: ExpiryLimit) => {
  const lastMs = Math.min(nowMs + (MAX_DAYS - 1) * DAY_MS, limit ?? Infinity);
  return { min: dayText(Math.min(nowMs + DAY_MS, lastMs), zone), max: dayText(lastMs, zone) };
};

type Props = {
  choice: ExpiryChoice;
  /** RFC 3339; null: never; empty: no date chosen yet. */
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

/** When a key expires. */
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
                ? `${untilText(Date.parse(value), zone)}, when your own key expires.`
                : `On ${formatDay(Date.parse(value), zone)}. Penstock warns you 14 days before.`,
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
              ? `Choose a day from ${min} to ${max}.`
              : `Valid until ${untilText(Date.parse(value), zone)}.`
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
          A key that never expires stays valid until you revoke it, even if it leaks. Prefer 366 days and
          rotate the key before then.
        </FormNotice>
      )}
    </div>
  );
};
