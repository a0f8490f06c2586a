/** Gaps kept per device. Their median is the learned interval. */
const GAPS = 9;
const LEAST_GAPS = 3;

const medianSeconds = (gapsMs: readonly number[]): number => {
  const sorted = gapsMs.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  // A median of nine gaps is accurate to about three digits.
  return Number((middle / 1_000).toPrecision(3));
};

/**
 * Learns how often devices send. Messages less than `leastGapMs` apart count as one: a device may send its metrics one by
 * one.
 */
export const createLearnedIntervals = (leastGapMs: number) => {
  const byDevice = new Map<string, { lastAt: number; gapsMs: number[] }>();
  return {
    recordMessage: (id: string, atMs: number): void => {
      const known = byDevice.get(id);
      if (known === undefined) {
        byDevice.set(id, { lastAt: atMs, gapsMs: [] });
        return;
      }
      if (atMs - known.lastAt < leastGapMs) return;
      known.gapsMs.push(atMs - known.lastAt);
      if (known.gapsMs.length > GAPS) known.gapsMs.shift();
      known.lastAt = atMs;
    },
    /** Another process received a message of the device, maybe between the last two of this one. */
    recordElsewhere: (id: string, atMs: number): void => {
      const known = byDevice.get(id);
      const gapMs = known?.gapsMs.at(-1);
      if (known === undefined || gapMs === undefined) return;
      const sinceMs = atMs - (known.lastAt - gapMs);
      if (sinceMs >= leastGapMs && known.lastAt - atMs >= leastGapMs)
        known.gapsMs[known.gapsMs.length - 1] = known.lastAt - atMs;
    },
    /** The learned interval in seconds; null: too few messages. */
    find: (id: string): number | null => {
      const { gapsMs = [] } = byDevice.get(id) ?? {};
      return gapsMs.length < LEAST_GAPS ? null : medianSeconds(gapsMs);
    },
    delete: (id: string): void => void byDevice.delete(id),
    /** Moves the times of the last messages after the clock has jumped. */
    shift: (jumpMs: number): void => {
      for (const known of byDevice.values()) known.lastAt += jumpMs;
    },
  };
};
