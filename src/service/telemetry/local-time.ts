import { Temporal } from 'temporal-polyfill';

type ToEpochMs = (wallMs: number) => number;

const DAY_MS = 86_400_000;
const MAX_ZONES = 100;

/**
 * Converts local times of a zone to epoch ms. A time that a change of the clock skips is moved forward by the width of
 * the gap; of a time that occurs twice the first is meant (RFC 5545, 3.3.5). Asks for the zone's offset only within a
 * day of a change.
 */
const createLocalClock = (timeZone: string): ToEpochMs => {
  // The wall times between these have one offset.
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

/** Epoch ms of a local time in a zone (IANA name). `wallMs` is the date and time as if in UTC. */
export const localToEpochMs = (wallMs: number, timeZone: string): number => {
  if (timeZone === 'UTC') return wallMs;
  let clock = clocks.get(timeZone);
  if (clock === undefined) {
    if (clocks.size === MAX_ZONES) clocks.clear();
    clocks.set(timeZone, (clock = createLocalClock(timeZone)));
  }
  return clock(wallMs);
};
