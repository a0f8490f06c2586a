import { Temporal } from 'temporal-polyfill';

type ToEpochMs = (wallMs: number) => number;

const DAY_MS = 86_400_000;
const MAX_ZONES = 100;

/**
 * Converts local times of a time zone to epoch ms. A time skipped by a transition moves forward by the length of the
 * gap; a time that occurs twice means the first occurrence (RFC 5545, 3.3.5). Caches the offset, except within a day of
 * a transition.
 */
const createLocalClock = (timeZone: string): ToEpochMs => {
  // Local times in this range have the same offset.
  let [fromMs, toMs, offsetMs] = [Infinity, -Infinity, 0];
  return (wallMs) => {
    if (wallMs >= fromMs && wallMs < toMs) return wallMs - offsetMs;
    const zoned = Temporal.Instant.fromEpochMilliseconds(wallMs)
      .toZonedDateTimeISO('UTC')
      .toPlainDateTime()
      .toZonedDateTime(timeZone, { disambiguation: 'compatible' });
    const [previous, next] = [zoned.getTimeZoneTransition('previous'), zoned.getTimeZoneTransition('next')];
    offsetMs = zoned.offsetNanoseconds / 1_000_000;
    fromMs = (previous?.epochMilliseconds ?? -Infinity) + offsetMs + DAY_MS;
    toMs = (next?.epochMilliseconds ?? Infinity) + offsetMs - DAY_MS;
    return zoned.epochMilliseconds;
  };
};

const clocks = new Map<string, ToEpochMs>();

/** Converts a local time to epoch ms. `wallMs`: the date and time as if in UTC. `timeZone`: an IANA name. */
export const localToEpochMs = (wallMs: number, timeZone: string): number => {
  if (timeZone === 'UTC') return wallMs;
  let clock = clocks.get(timeZone);
  if (clock === undefined) {
    if (clocks.size === MAX_ZONES) clocks.clear();
    clocks.set(timeZone, (clock = createLocalClock(timeZone)));
  }
  return clock(wallMs);
};
