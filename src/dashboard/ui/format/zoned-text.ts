import { dateFormat, type TimeZone } from './intl-formats.ts';

const parts = (ms: number, zone: TimeZone, to: 'day' | 'minute' | 'second'): string =>
  // Sweden writes dates and times as ISO 8601 does.
  dateFormat(
    {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      ...(to !== 'day' && { hour: '2-digit', minute: '2-digit' }),
      ...(to === 'second' && { second: '2-digit' }),
    },
    zone,
    'sv-SE',
  ).format(ms);

/** The day of a time, as the value of a date field: `2026-11-21`. */
export const dayText = (ms: number, zone: TimeZone): string => parts(ms, zone, 'day');

/** A time as the value of a date-and-time field: `2026-11-21T09:30`. */
export const momentText = (ms: number, zone: TimeZone): string => parts(ms, zone, 'minute').replace(' ', 'T');

/** The same to the second: `2026-11-21T09:30:15`. */
export const secondText = (ms: number, zone: TimeZone): string => parts(ms, zone, 'second').replace(' ', 'T');

/** Epoch ms of such a field's value in a zone; undefined if it is not a valid time. */
export const readMoment = (text: string, zone: TimeZone): number | undefined => {
  const ms = new Date(`${text}${zone === 'utc' ? 'Z' : ''}`).getTime();
  return text === '' || Number.isNaN(ms) ? undefined : ms;
};
