import type { TimeZone } from '../../ui/format/intl-formats.ts';

export interface Day {
  year: number;
  /** 0–11. */
  month: number;
  day: number;
}

/** The zone's offset from UTC at a time, in ms, positive to the east. */
export const offsetMsAt = (ms: number, zone: TimeZone) =>
  zone === 'utc' ? 0 : -new Date(ms).getTimezoneOffset() * 60_000;

export function dayAt(ms: number, zone: TimeZone): Day {
  const date = new Date(ms);
  return zone === 'utc'
    ? { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate() }
    : { year: date.getFullYear(), month: date.getMonth(), day: date.getDate() };
}

/** The start of a day, which is 01:00 if the clocks skip midnight. Days and months beyond their range carry over. */
export function startOfDay({ year, month, day }: Day, zone: TimeZone): number {
  const date = new Date(0);
  if (zone === 'utc') return date.setUTCFullYear(year, month, day);
  date.setFullYear(year, month, day);
  return date.setHours(0, 0, 0, 0);
}
