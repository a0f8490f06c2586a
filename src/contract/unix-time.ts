/** The end of the year 9999 in epoch ms: the latest time that RFC 3339 can express. */
export const MAX_MS = 253_402_300_799_999;

/** `below`: without a given unit, the numbers that have this unit. */
const UNITS = {
  h: { below: 0, ms: 3_600_000 },
  m: { below: 0, ms: 60_000 },
  s: { below: 1e11, ms: 1_000 },
  ms: { below: 1e14, ms: 1 },
  us: { below: 1e17, perMs: 1e3 },
  ns: { below: Infinity, perMs: 1e6 },
} as const;
export type TimeUnit = keyof typeof UNITS;
const NAMES = Object.keys(UNITS) as TimeUnit[];

/** The largest number that is a Unix timestamp, in nanoseconds. */
export const MAX_UNIX_TIME = MAX_MS * UNITS.ns.perMs;

/** The pattern of a Unix timestamp as text. */
export const UNIX_TIME = String.raw`-?\d{1,21}(\.\d{1,12})?`;
const NUMERIC = new RegExp(`^${UNIX_TIME}$`);

/** A timestamp in seconds or nanoseconds, stored as a double, is exact to half a microsecond. */
const ROUNDING_MS = 0.000_5;

export const isUnixTime = (text: string): boolean => NUMERIC.test(text);

/** The unit of a number, by its size. */
export const unitOf = (number: number): TimeUnit =>
  NAMES.find((unit) => Math.abs(number) < UNITS[unit].below) ?? 'ns';

/** Whether this time in epoch ms is read as milliseconds: earlier and later ones have the size of another unit. */
export const isReadAsMs = (ms: number): boolean => unitOf(ms) === 'ms';

/**
 * Reads a Unix timestamp. Its size gives the unit if none is given: seconds below 10^11, milliseconds below 10^14,
 * microseconds below 10^17, otherwise nanoseconds. Fractions of a millisecond are cut off.
 * @returns epoch ms, or undefined if the time is out of range
 */
export const readUnixTime = (number: number, given?: TimeUnit): number | undefined => {
  const unit = UNITS[given ?? unitOf(number)];
  const ms = Math.floor(('ms' in unit ? number * unit.ms : number / unit.perMs) + ROUNDING_MS);
  // Excludes NaN, and turns -0 into 0.
  return Math.abs(ms) <= MAX_MS ? ms + 0 : undefined;
};
