import { Temporal } from 'temporal-polyfill';

/** Formats times in a time zone. Looks up the offset only when it may have changed. */
export const createZoneClock = (timeZone: string): ((ts: number) => string) => {
  let [fromMs, toMs, offsetMs, offset] = [Infinity, -Infinity, 0, ''];
  return (ts) => {
    if (ts < fromMs || ts >= toMs) {
      const zoned = Temporal.Instant.fromEpochMilliseconds(ts).toZonedDateTimeISO(timeZone);
      const next = zoned.getTimeZoneTransition('next');
      [fromMs, toMs] = [ts, next?.epochMilliseconds ?? Infinity];
      [offsetMs, offset] = [zoned.offsetNanoseconds / 1_000_000, zoned.offset];
    }
    // Date formats the local time as if it were UTC.
    return `${new Date(ts + offsetMs).toISOString().slice(0, -1)}${offset}`;
  };
};
