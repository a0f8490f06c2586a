import { LIMITS } from '#contract/sample-rules.ts';
import { MAX_MS, parseDateTime } from '#contract/time-range.ts';
import { localToEpochMs } from './local-time.ts';
import { toIsoTime } from '../../platform/iso-time.ts';

/** `below`: without a rule, the numbers that have this unit. */
const UNITS = {
  h: { name: 'hours', below: 0, ms: 3_600_000 },
  m: { name: 'minutes', below: 0, ms: 60_000 },
  s: { name: 'seconds', below: 1e11, ms: 1_000 },
  ms: { name: 'milliseconds', below: 1e14, ms: 1 },
  us: { name: 'microseconds', below: 1e17, perMs: 1e3 },
  ns: { name: 'nanoseconds', below: Infinity, perMs: 1e6 },
} as const;
const BY_SIZE = Object.values(UNITS);
export type TimeUnit = keyof typeof UNITS;

/** How the timestamps of samples are read. */
export type TimeRule = {
  /** IANA name of the time zone for text without an offset. */
  readonly timeZone: string;
  /** Whether timestamps before 2000 are accepted. */
  readonly allowOld: boolean;
  /** The unit of numbers. By default, their size determines it. */
  readonly unit?: TimeUnit;
};

export const defaultTimeRule: TimeRule = { timeZone: 'UTC', allowOld: false };

/** For samples that Penstock has mapped already: numbers are epoch ms, whatever their size. */
export const epochMsRule: TimeRule = { timeZone: 'UTC', allowOld: true, unit: 'ms' };

const NUMERIC = /^-?\d{1,21}(\.\d{1,12})?$/;
/** A timestamp in seconds or nanoseconds, stored as a double, is exact to half a microsecond. */
const ROUNDING_MS = 0.000_5;
const SHOWN_CHARACTERS = 40;

const unitOf = (number: number, { unit }: TimeRule) => {
  if (unit !== undefined) return UNITS[unit];
  const size = Math.abs(number);
  return BY_SIZE.find(({ below }) => size < below) ?? UNITS.ns;
};

const readNumber = (number: number, rule: TimeRule): number | undefined => {
  const unit = unitOf(number, rule);
  const ms = Math.floor(('ms' in unit ? number * unit.ms : number / unit.perMs) + ROUNDING_MS);
  // Excludes NaN, and turns -0 into 0.
  return Math.abs(ms) <= MAX_MS ? ms + 0 : undefined;
};

const isNumeric = (input: string): boolean => NUMERIC.test(input);

/** True for a date and time without an offset. */
export const isLocalTime = (input: unknown): boolean => {
  const parsed = typeof input === 'string' ? parseDateTime(input) : undefined;
  return parsed !== undefined && parsed.ms === undefined;
};

/**
 * Reads the timestamp of a sample, with the same rules for every format. A number, or its text: seconds below 10^11,
 * milliseconds below 10^14, microseconds below 10^17, otherwise nanoseconds. Fractions of a millisecond are cut off.
 * Other text: RFC 3339; without an offset, local time in the time zone of the rule.
 * @returns epoch ms, or undefined if it is not a timestamp
 */
export const readSampleTime = (input: unknown, rule: TimeRule = defaultTimeRule): number | undefined => {
  if (typeof input === 'number') return readNumber(input, rule);
  if (typeof input !== 'string') return undefined;
  if (isNumeric(input)) return readNumber(Number(input), rule);
  const parsed = parseDateTime(input);
  return parsed === undefined ? undefined : (parsed.ms ?? localToEpochMs(parsed.wallMs, rule.timeZone));
};

/** True for a timestamp that only a device with a wrong clock would send. `ms`: epoch ms. */
export const isImplausible = (ms: number, { allowOld }: TimeRule): boolean =>
  ms < LIMITS.earliestMs && !allowOld;

/** Explains how a timestamp before 2000 was read. */
export const describeImplausible = (input: unknown, ms: number, rule: TimeRule): string => {
  const given = JSON.stringify(input).slice(0, SHOWN_CHARACTERS);
  const number = typeof input === 'number' ? input : isNumeric(String(input)) ? Number(input) : undefined;
  const unit = number === undefined ? '' : ` ${unitOf(number, rule).name} since 1970`;
  const read = `${given} was read as${unit === '' ? '' : `${unit}:`} ${toIsoTime(ms)}`;
  return `Is before 2000-01-01: ${read}. Set the device's clock, or allow old timestamps (allowOld).`;
};

/** A timestamp that every rule reads as this time, in epoch ms: a small number would be read as seconds. */
export const toSampleTime = (ms: number): number | string =>
  Math.abs(ms) >= UNITS.s.below || !(Math.abs(ms) <= MAX_MS) ? ms : toIsoTime(ms);
