import type { TimeZone } from '../../charts/wall-clock.ts';

const two = (number: number) => String(number).padStart(2, '0');

/** A moment as a date-time field holds it: the zone's wall clock to the second, without the zone. */
export const dateTimeText = (ms: number, zone: TimeZone): string => {
  if (zone === 'utc') return new Date(ms).toISOString().slice(0, 19);
  const date = new Date(ms);
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
};

/** Epoch ms of what a date-time field holds; undefined where that is no moment. */
export const readDateTime = (text: string, zone: TimeZone): number | undefined => {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) return undefined;
  // Without an offset the text is local time (ECMA-262, date time string format).
  const ms = Date.parse(zone === 'utc' ? `${text}Z` : text);
  return Number.isNaN(ms) ? undefined : ms;
};
