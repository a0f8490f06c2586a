import { LIMITS } from '#contract/sample-rules.ts';
import { parseDateTime } from '#contract/time-range.ts';
import { isReadAsMs, isUnixTime, MAX_MS, readUnixTime, unitOf, type TimeUnit } from '#contract/unix-time.ts';
import { describeReceived } from './describe-received.ts';
import { localToEpochMs } from './local-time.ts';
import { toIsoTime } from '../../platform/iso-time.ts';

/** How the timestamps of samples are read. */
export type TimeRule = {
  /** IANA name of the time zone for text without an offset. */
  readonly timeZone: string;
  /** Whether timestamps before 2000 are accepted. */
  readonly allowOld: boolean;
  /** The unit of numbers. By default, their size determines it. */
  readonly unit?: TimeUnit;
  /** Whether the sender chose the unit, with the parameter `precision`. */
  readonly hasPrecision?: boolean;
};

export const defaultTimeRule: TimeRule = { timeZone: 'UTC', allowOld: false };

/** For samples that Penstock has mapped already: numbers are epoch ms, whatever their size. */
export const epochMsRule: TimeRule = { timeZone: 'UTC', allowOld: true, unit: 'ms' };

const SHOWN_CHARACTERS = 40;
const UNIT_NAMES: Readonly<Record<TimeUnit, string>> = {
  h: 'hours',
  m: 'minutes',
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
};

/** ISO 8601 as devices write it: without seconds, with slashes, without leading zeros, with AM or PM, or with a short offset. */
const DEVICE_TIME =
  /^(\d{4})([-/])(\d\d?)\2(\d\d?)(?:[Tt]|,?\s)(\d\d?):(\d\d)(:\d\d(?:\.\d+)?)?(?:\s?([AP])M)?\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i;

/** A date of RFC 2822, also without its zone: `Sat, 28 Nov 2026 17:55:00 +0100`. */
const MAIL_TIME =
  /^(?:[a-z]{3}, )?(\d\d?) ([a-z]{3}) (\d{4}) (\d\d:\d\d(?::\d\d)?) ?(Z|UTC?|GMT|[+-]\d{4})?$/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The hour of a day of 24 hours; undefined: there is no such hour. `half`: A or P. */
const hourOf = (text: string, half: string | undefined): number | undefined => {
  const hour = Number(text);
  if (half === undefined) return hour;
  return hour < 1 || hour > 12 ? undefined : (hour % 12) + (half.toUpperCase() === 'P' ? 12 : 0);
};

const pad = (part: string | number): string => String(part).padStart(2, '0');

/** Writes the variants of ISO 8601 that devices write as RFC 3339. */
const toRfc3339 = (input: string): string => {
  const [, year, , month = '', day = '', hourText = '', minute, seconds = ':00', half, zone = ''] =
    DEVICE_TIME.exec(input) ?? [];
  const hour = hourOf(hourText, half);
  if (year === undefined || hour === undefined) return '';
  const offset = /^[+-]/.test(zone)
    ? `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
    : zone && 'Z';
  return `${year}-${pad(month)}-${pad(day)}T${pad(hour)}:${minute}${seconds}${offset}`;
};

/** Writes a date of RFC 2822 as ISO 8601. */
const mailToIso = (input: string): string | undefined => {
  const [, day, month = '', year, time, zone = ''] = MAIL_TIME.exec(input) ?? [];
  if (day === undefined) return undefined;
  const offset = /^[+-]/.test(zone) ? zone : zone && 'Z';
  return `${year}-${pad(MONTHS.indexOf(month.toLowerCase()) + 1)}-${pad(day)}T${time}${offset}`;
};

/** Reads RFC 3339, the variants of ISO 8601 that devices write, and RFC 2822. */
const readDateTime = (input: string): ReturnType<typeof parseDateTime> =>
  parseDateTime(input) ?? parseDateTime(toRfc3339(mailToIso(input) ?? input));

/** True for a date and time without an offset. */
export const isLocalTime = (input: unknown): boolean => {
  const parsed = typeof input === 'string' ? readDateTime(input) : undefined;
  return parsed !== undefined && parsed.ms === undefined;
};

/**
 * Reads the timestamp of a sample, with the same rules for every format. A number, or its text: seconds below 10^11,
 * milliseconds below 10^14, microseconds below 10^17, otherwise nanoseconds. Fractions of a millisecond are cut off.
 * Other text: RFC 3339, also without seconds or leading zeros, with slashes, AM or PM, or a short offset, or RFC 2822; without
 * an offset, local time in the time zone of the rule.
 * @returns epoch ms, or undefined if it is not a timestamp
 */
export const readSampleTime = (input: unknown, rule: TimeRule = defaultTimeRule): number | undefined => {
  if (typeof input === 'number') return readUnixTime(input, rule.unit);
  if (typeof input !== 'string') return undefined;
  if (isUnixTime(input)) return readUnixTime(Number(input), rule.unit);
  const parsed = readDateTime(input);
  return parsed === undefined ? undefined : (parsed.ms ?? localToEpochMs(parsed.wallMs, rule.timeZone));
};

/** True for a timestamp that only a device with a wrong clock would send. `ms`: epoch ms. */
export const isImplausible = (ms: number, { allowOld }: TimeRule): boolean =>
  ms < LIMITS.earliestMs && !allowOld;

/** The unit of numbers is given by a parameter of line protocol. */
const SET_PRECISION = 'Set precision to the unit of the timestamps (ns, us, ms, s, m or h)';

/** The number of a Unix timestamp; undefined for other inputs. */
const numberOf = (input: unknown): number | undefined => {
  if (typeof input === 'number') return Number.isFinite(input) ? input : undefined;
  return typeof input === 'string' && isUnixTime(input) ? Number(input) : undefined;
};

/** How a timestamp was read: `21 was read as seconds since 1970: `. */
const describeReading = (input: unknown, rule: TimeRule): string => {
  const given = JSON.stringify(input).slice(0, SHOWN_CHARACTERS);
  const number = numberOf(input);
  const unit = number === undefined ? '' : `${UNIT_NAMES[rule.unit ?? unitOf(number)]} since 1970: `;
  return `${given} was read as ${unit}`;
};

/** Explains how a timestamp before 2000 was read. */
export const describeImplausible = (input: unknown, ms: number, rule: TimeRule): string => {
  const advice = rule.hasPrecision === true ? SET_PRECISION : "Set the device's clock";
  return `The timestamp is before 2000-01-01: ${describeReading(input, rule)}${toIsoTime(ms)}. ${advice}, or allow old timestamps (allowOld).`;
};

/** Explains why an input is not a timestamp. */
export const describeInvalidTime = (input: unknown, rule: TimeRule): string => {
  const number = numberOf(input);
  if (number === undefined)
    return describeReceived(
      'Must be a Unix timestamp (in s, ms, µs or ns), or text of RFC 3339 or RFC 2822.',
      input,
    );
  const advice =
    rule.hasPrecision === true
      ? SET_PRECISION
      : `Send a Unix timestamp in ${rule.unit === undefined ? 's, ms, µs or ns' : UNIT_NAMES[rule.unit]}`;
  const place = number < 0 ? 'before the year -6060' : 'after the year 9999';
  return `Is out of range: ${describeReading(input, rule)}${place}. ${advice}.`;
};

/** A timestamp that every rule reads as this time, in epoch ms: a small number would be read as seconds. */
export const toSampleTime = (ms: number): number | string =>
  isReadAsMs(ms) || !(Math.abs(ms) <= MAX_MS) ? ms : toIsoTime(ms);
