import type { Clock } from '../platform/clock.ts';
import type { Peers } from '../platform/peers.ts';

const HOUR_MS = 3_600_000;
/** Beyond this number of registrants, the one whose hour began first is dropped. */
const MAX_REGISTRANTS = 10_000;

export type RegistrationLimit = {
  readonly perHour: number;
  /** Reserves up to `wanted` registrations in the quota of a registrant. Returns the permitted number. */
  reserve(registrant: string, wanted: number): number;
  /** Ends a reservation: `used` of the `permitted` registrations were made. */
  settle(registrant: string, permitted: number, used: number): void;
  /** Whether a registrant has made all registrations of its hour. Reserved ones may be given back. */
  isReached(registrant: string): boolean;
  /** When the hour of a registrant ends, in epoch ms. */
  endsAtMs(registrant: string): number;
};

/** Counts the devices that each registrant (an API key, an operator, a pipeline) registers within an hour, at any process. */
export const createRegistrationLimit = (
  perHour: number,
  { now, elapsed }: Pick<Clock, 'now' | 'elapsed'>,
  peers: Pick<Peers, 'send' | 'subscribe'>,
): RegistrationLimit => {
  /** Measured with the monotonic clock, so that setting the wall clock back does not restart an hour. */
  const hours = new Map<string, { startedMs: number; count: number; reserved: number }>();

  const hourOf = (registrant: string) => {
    const known = hours.get(registrant);
    if (known !== undefined && elapsed() - known.startedMs < HOUR_MS) return known;
    const fresh = { startedMs: elapsed(), count: 0, reserved: 0 };
    // Deleted first, so that the map stays sorted by the start of the hour.
    hours.delete(registrant);
    hours.set(registrant, fresh);
    const [oldest] = hours.keys();
    if (hours.size > MAX_REGISTRANTS && oldest !== undefined) hours.delete(oldest);
    return fresh;
  };

  peers.subscribe('registered', ({ registrant, devices }) => {
    hourOf(registrant).count += devices;
  });

  return {
    perHour,
    reserve: (registrant, wanted) => {
      const hour = hourOf(registrant);
      const permitted = Math.min(wanted, Math.max(0, perHour - hour.count - hour.reserved));
      hour.reserved += permitted;
      return permitted;
    },
    settle: (registrant, permitted, used) => {
      const hour = hourOf(registrant);
      // A new hour may have begun since.
      hour.reserved = Math.max(0, hour.reserved - permitted);
      hour.count += used;
      if (used > 0) peers.send('registered', { registrant, devices: used });
    },
    isReached: (registrant) => hourOf(registrant).count >= perHour,
    endsAtMs: (registrant) => now() + hourOf(registrant).startedMs + HOUR_MS - elapsed(),
  };
};
