import type { TimeZoneChoice } from '../../ui/format/format-time.ts';
import { dayText, readMoment } from '../../ui/format/zoned-text.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 366;
/** So that the longest choice is still within what the service takes where this computer's clock is a little ahead. */
const CLOCK_SLACK_MS = 60_000;

export const DEFAULT_DAYS = 90;
export const dayChoices = [30, 90, 180, MAX_DAYS] as const;

/** How an expiry was chosen: a number of days, with the key of the session, the end of a day, or never. */
export type ExpiryChoice = `${number}` | 'limit' | 'date' | 'never';

/** When the key of the session expires, epoch ms. Keys that it creates expire then at the latest. Null: no limit. */
export type ExpiryLimit = number | null;

/** The choices within a limit, in the order of the menu. */
export const choicesWithin = (limit: ExpiryLimit, nowMs: number): ExpiryChoice[] => {
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

/** RFC 3339 of so many days from now. */
export const inDays = (days: number, nowMs: number): string =>
  new Date(nowMs + days * DAY_MS - (days === MAX_DAYS ? CLOCK_SLACK_MS : 0)).toISOString();

/**
 * The last second of a day (`2026-11-21`) in the time zone of the dashboard, or the limit if it falls on that day; empty
 * if the text is not a day.
 */
export const endOfDay = (day: string, zone: TimeZoneChoice, limit: ExpiryLimit): string => {
  const ms = readMoment(`${day}T23:59:59`, zone);
  if (ms === undefined) return '';
  const isLastDay = limit !== null && day === dayText(limit, zone);
  return new Date(isLastDay ? Math.min(ms, limit) : ms).toISOString();
};

/** The range of the date field: from tomorrow, or the day of an earlier limit, to the last day that the service accepts. */
export const dayRange = (nowMs: number, zone: TimeZoneChoice, limit: ExpiryLimit) => {
  const lastMs = Math.min(nowMs + (MAX_DAYS - 1) * DAY_MS, limit ?? Infinity);
  return { min: dayText(Math.min(nowMs + DAY_MS, lastMs), zone), max: dayText(lastMs, zone) };
};
