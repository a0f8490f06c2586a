const HOUR_MS = 3_600_000;
/** Registrants that are remembered; beyond that the one whose hour began first is forgotten. */
const MAX_REGISTRANTS = 10_000;

export type RegistrationLimit = {
  readonly perHour: number;
  /** Takes up to `wanted` registrations from what a registrant has left in its hour; returns how many it got. */
  take(registrant: string, wanted: number): number;
  /** Gives registrations back that were not needed. */
  giveBack(registrant: string, unused: number): void;
  /** When the hour of a registrant ends, in epoch ms. */
  endsAtMs(registrant: string): number;
};

/** Counts the devices that each registrant (an API key, an operator, a pipeline) registers within an hour. */
export const createRegistrationLimit = (perHour: number, now: () => number): RegistrationLimit => {
  const hours = new Map<string, { startedAtMs: number; count: number }>();

  const hourOf = (registrant: string) => {
    const known = hours.get(registrant);
    const ageMs = now() - (known?.startedAtMs ?? 0);
    if (known !== undefined && ageMs >= 0 && ageMs < HOUR_MS) return known;
    const fresh = { startedAtMs: now(), count: 0 };
    // Deleted first, so that the map stays in order of the hours' starts.
    hours.delete(registrant);
    hours.set(registrant, fresh);
    const [oldest] = hours.keys();
    if (hours.size > MAX_REGISTRANTS && oldest !== undefined) hours.delete(oldest);
    return fresh;
  };

  return {
    perHour,
    take: (registrant, wanted) => {
      const hour = hourOf(registrant);
      const taken = Math.min(wanted, Math.max(0, perHour - hour.count));
      hour.count += taken;
      return taken;
    },
    giveBack: (registrant, unused) => {
      const hour = hourOf(registrant);
      hour.count = Math.max(0, hour.count - unused);
    },
    endsAtMs: (registrant) => hourOf(registrant).startedAtMs + HOUR_MS,
  };
};
