import type { TimeZoneChoice } from '../../../ui/format-time.ts';
import { dayText, readMoment } from '../../../ui/zoned-text.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 366;
/** So that the longest choice is still within what the service takes where this computer's clock is a little ahead. */
const CLOCK_SLACK_MS = 60_000;

export const DEFAULT_DAYS = 90;
export const dayChoices = [30, 90, 180, MAX_DAYS] as const;

/** How an expiry was chosen: so many days from now, the end of a day, or never. */
export type ExpiryChoice = `${number}` | 'date' | 'never';

/** RFC 3339 of so many days from now. */
export const inDays = (days: number, nowMs: number): string =>
  new Date(nowMs + days * DAY_MS - (days === MAX_DAYS ? CLOCK_SLACK_MS : 0)).toISOString();

/** The last second of a day (`2026-11-21`), in the zone in which times are shown; empty where it is no day. */
export const endOfDay = (day: string, zone: TimeZoneChoice): string => {
  const ms = readMoment(`${day}T23:59:59`, zone);
  return ms === undefined ? '' : new Date(ms).toISOString();
};

/** The days that a date field offers: tomorrow to the last that the service takes. */
export const dayRange = (nowMs: number, zone: TimeZoneChoice) => ({
  min: dayText(nowMs + DAY_MS, zone),
  max: dayText(nowMs + (MAX_DAYS - 1) * DAY_MS, zone),
});
