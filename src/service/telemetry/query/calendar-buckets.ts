import { Temporal } from 'temporal-polyfill';

/** Days are aligned to the epoch, weeks to a Monday. */
const FIRST_DAY = Temporal.PlainDate.from('1970-01-01');
const FIRST_MONDAY = Temporal.PlainDate.from('1970-01-05');
const DAY_MS = 86_400_000;

/** Whether the IANA name of a time zone is known. */
export const isTimeZone = (name: string): boolean => {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
};

/**
 * The starts of buckets of whole days at local midnight, in epoch ms: ascending, the first at or before `fromMs`, the
 * last before `toMs`. The length of a day depends on the time zone (23 to 25 hours when clocks change). A day without
 * midnight begins with its first moment.
 * @param bucketMs a multiple of a day; a multiple of a week begins on a Monday
 */
export const calendarStarts = (
  bucketMs: number,
  fromMs: number,
  toMs: number,
  timeZone: string,
): Float64Array => {
  const days = bucketMs / DAY_MS;
  const origin = days % 7 === 0 ? FIRST_MONDAY : FIRST_DAY;
  const firstDate = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(timeZone).toPlainDate();
  const first = Math.floor(origin.until(firstDate).days / days);
  const starts: number[] = [];
  for (let bucket = first; ; bucket += 1) {
    const start = origin.add({ days: bucket * days }).toZonedDateTime(timeZone).epochMilliseconds;
    if (start >= toMs) return Float64Array.from(starts);
    starts.push(start);
  }
};
