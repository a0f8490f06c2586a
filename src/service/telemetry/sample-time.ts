import { LIMITS } from '#contract/telemetry.ts';
import { MAX_MS, parseDateTime } from '#contract/time-range.ts';
import { localToEpochMs } from './local-time.ts';

/** How the timestamps of samples are read. */
export type TimeRule = {
  /** IANA name of the zone of text without one. */
  readonly timeZone: string;
  /** Timestamps before 2000 are taken. */
  readonly allowOld: boolean;
  /** The unit of every number; left out: by its size. */
  readonly unit?: 'ms';
};

export const defaultTimeRule: TimeRule = { timeZone: 'UTC', allowOld: false };

/** The rule for what was read before: numbers are epoch ms, whatever their size. */
export const readBefore: TimeRule = { timeZone: 'UTC', allowOld: true, unit: 'ms' };

/** By the size of a number without its sign; the largest last. */
const UNITS = [
  { name: 'seconds', below: 1e11, perMs: 1e-3 },
  { name: 'milliseconds', below: 1e14, perMs: 1 },
  { name: 'microseconds', below: 1e17, perMs: 1e3 },
  { name: 'nanoseconds', below: Infinity, perMs: 1e6 },
] as const;
const NUMERIC = /^-?\d{1,21}(\.\d{1,12})?$/;
/** A double of seconds, or of nanoseconds, is within half a microsecond of what was written. */
const ROUNDING_MS = 0.000_5;
const SHOWN_CHARACTERS = 40;

const unitOf = (number: number, { unit }: TimeRule) => {
  if (unit === 'ms') return UNITS[1];
  const size = Math.abs(number);
  return UNITS.find(({ below }) => size < below) ?? UNITS[3];
};

const readNumber = (number: number, rule: TimeRule): number | undefined => {
  const { perMs } = unitOf(number, rule);
  const ms = Math.floor((perMs < 1 ? number * 1_000 : number / perMs) + ROUNDING_MS);
  // Not a number, and no negative zero.
  return Math.abs(ms) <= MAX_MS ? ms + 0 : undefined;
};

const isNumeric = (input: string): boolean => NUMERIC.test(input);

/** True for text of a date and time without a zone. */
export const isLocalTime = (input: unknown): boolean => {
  const parsed = typeof input === 'string' ? parseDateTime(input) : undefined;
  return parsed !== undefined && parsed.ms === undefined;
};

/**
 * Reads the timestamp of a sample, by one rule for every format. A number, or the text of one: below 10^11 seconds,
 * below 10^14 milliseconds, below 10^17 microseconds, else nanoseconds; fractions count down to the millisecond.
 * Text: RFC 3339, or the same without a zone, as the local time of the rule's zone.
 * @returns epoch ms, or undefined where it is not a time
 */
export const readSampleTime = (input: unknown, rule: TimeRule = defaultTimeRule): number | undefined => {
  if (typeof input === 'number') return readNumber(input, rule);
  if (typeof input !== 'string') return undefined;
  if (isNumeric(input)) return readNumber(Number(input), rule);
  const parsed = parseDateTime(input);
  return parsed === undefined ? undefined : (parsed.ms ?? localToEpochMs(parsed.wallMs, rule.timeZone));
};

/** True where a device with its clock set cannot mean it, in epoch ms. */
export const isImplausible = (ms: number, { allowOld }: TimeRule): boolean =>
  ms < LIMITS.earliestMs && !allowOld;

/** Says how a timestamp before 2000 was read. */
export const describeImplausible = (input: unknown, ms: number, rule: TimeRule): string => {
  const given = JSON.stringify(input).slice(0, SHOWN_CHARACTERS);
  const number = typeof input === 'number' ? input : isNumeric(String(input)) ? Number(input) : undefined;
  const unit = number === undefined ? '' : ` ${unitOf(number, rule).name} since 1970`;
  const read = `${given} was read as${unit === '' ? '' : `${unit}:`} ${new Date(ms).toISOString()}`;
  return `Is before 2000-01-01: ${read}. Set the device's clock, or allow old timestamps (allowOld).`;
};

/** A time in epoch ms, as every rule reads it back: small numbers would count as seconds. */
export const sampleTimeOf = (ms: number): number | string =>
  Math.abs(ms) >= UNITS[0].below || !(Math.abs(ms) <= MAX_MS) ? ms : new Date(ms).toISOString();
