import type { Clock } from '../platform/clock.ts';

const HOUR_MS = 3_600_000;
/** Beyond this number of registrants, the one whose hour began first is dropped. */
const MAX_REGISTRANTS = 10_000;

export type RegistrationLimit = {
  readonly perHour: number;
  /** Counts up to `wanted` registrations against the quota of a registrant. Returns the permitted number. */
  consume(registrant: string, wanted: number): number;
  /** Returns unused registrations to the quota. */
  giveBack(registrant: string, unused: number): void;
  /** Whether a registrant may register no more devices in its hour. */
  isReached(registrant: string): boolean;
  /** When the hour of a registrant ends, in epoch ms. */
  endsAtMs(registrant: string): number;
};

/** Counts the devices that each registrant (an API key, an operator, a pipeline) registers within an hour. */
export const createRegistrationLimit = (
  perHour: number,
  { now, elapsed }: Pick<Clock, 'now' | 'elapsed'>,
): RegistrationLimit => {
  /** Measured with the monotonic clock, so that setting the wall clock back does not restart an hour. */
  const hours = new Map<string, { startedMs: number; count: number }>();

  const hourOf = (registrant: string) => {
    const known = hours.get(registrant);
    if (known !== undefined && elapsed() - known.startedMs < HOUR_MS) return known;
    const fresh = { startedMs: elapsed(), count: 0 };
    // Deleted first, so that the map stays sorted by the start of the hour.
    hours.delete(registrant);
    hours.set(registrant, fresh);
    const [oldest] = hours.keys();
    if (hours.size > MAX_REGISTRANTS && oldest !== undefined) hours.delete(oldest);
    return fresh;
  };

  return {
    perHour,
    consume: (registrant, wanted) => {
      const hour = hourOf(registrant);
      const permitted = Math.min(wanted, Math.max(0, perHour - hour.count));
      hour.count += permitted;
      return permitted;
    },
    giveBack: (registrant, unused) => {
      const hour = hourOf(registrant);
      hour.count = Math.max(0, hour.count - unused);
    },
    isReached: (registrant) => hourOf(registrant).count >= perHour,
    endsAtMs: (registrant) => now() + hourOf(registrant).startedMs + HOUR_MS - elapsed(),
  };
};
