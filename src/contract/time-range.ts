import { isReadAsMs, isUnixTime, readUnixTime, UNIX_TIME } from './unix-time.ts';

/** The accepted forms of a range end: in words, and as a pattern (dates are also validated against the calendar). */
export const RANGE_END = {
  words:
    'RFC 3339 with an offset, a Unix timestamp (its magnitude determines the unit, as in samples), `now`, or relative such as `-24h`',
  pattern: String.raw`^(now|(now)?[+\-]\d{1,6}[smhdw]|${UNIX_TIME}|\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+\-]\d\d:\d\d))$`,
} as const;

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)?$/;

/** Minutes east of UTC, or undefined if the offset is out of range. */
const offsetOf = (zone: string): number | undefined => {
  if (zone === 'Z' || zone === 'z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
};

/**
 * Parses an RFC 3339 date and time, with or without an offset. Dates are round-trip checked, so 30 February is
 * rejected.
 * @returns `wallMs`: the date and time as if it were UTC. `ms`: epoch ms, or undefined without an offset.
 * Returns undefined if the text is not a date and time
 */
export const parseDateTime = (input: string): { wallMs: number; ms: number | undefined } | undefined => {
  const parts = DATE_TIME.exec(input);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = ''] = parts as unknown as string[];
  const zone: string | undefined = parts[8];
  const wall = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  if (new Date(wall).toISOString().slice(0, 19) !== `${year}-${month}-${day}T${hour}:${minute}:${second}`)
    return undefined;
  const wallMs = wall + Math.floor(Number(`0${fraction}`) * 1_000);
  if (zone === undefined) return { wallMs, ms: undefined };
  const offset = offsetOf(zone);
  return offset === undefined ? undefined : { wallMs, ms: wallMs - offset * 60_000 };
};

/**
 * Parses a time sent by a client: RFC 3339 with an offset, or a Unix timestamp as a number or text.
 * @returns epoch ms, or undefined if the input is not a time
 */
export const parseTime = (input: string | number): number | undefined => {
  if (typeof input === 'number') return readUnixTime(input);
  return isUnixTime(input) ? readUnixTime(Number(input)) : parseDateTime(input)?.ms;
};

/** The text that `parseTime` reads as this time, in epoch ms. */
export const toTimeText = (ms: number): string => (isReadAsMs(ms) ? String(ms) : new Date(ms).toISOString());

/**
 * Parses one end of a range: `now`, a time relative to now (`-24h`, `now-15m`; units s m h d w), or any input of
 * `parseTime`.
 * @returns epoch ms, or undefined if the input is none of these
 */
export const parseRangeEnd = (input: string | number, nowMs: number): number | undefined => {
  if (typeof input === 'number') return parseTime(input);
  if (input === 'now') return nowMs;
  const relative = /^(?:now)?([+-])(\d{1,6})([smhdw])$/.exec(input);
  if (relative === null) return parseTime(input);
  const [, sign, amount, unit] = relative as unknown as [string, '+' | '-', string, keyof typeof UNITS_MS];
  return nowMs + (sign === '-' ? -1 : 1) * Number(amount) * UNITS_MS[unit];
};

/** Why a text is not an end of a range. In a query string, a `+` that is not escaped arrives as a space. */
export const describeRangeEnd = (input: unknown): string =>
  typeof input === 'string' && parseRangeEnd(input.replace(/ (?=[^ ]*$)/, '+'), 0) !== undefined
    ? 'Has a space instead of +. In a URL, write + as %2B.'
    : 'Must be RFC 3339 with an offset (2026-11-21T09:30:00Z), a Unix timestamp, now, or relative such as -24h.';

/** Parses a bucket width: `10s`, `5m`, `1h`, `1d`, `1w`. Days and weeks follow the calendar of a time zone. */
export const parseBucket = (input: string): { ms: number; calendar: boolean } | undefined => {
  const parts = /^(\d{1,6})([smhdw])$/.exec(input);
  if (parts === null || Number(parts[1]) === 0) return undefined;
  const unit = parts[2] as keyof typeof UNITS_MS;
  return { ms: Number(parts[1]) * UNITS_MS[unit], calendar: unit === 'd' || unit === 'w' };
};
