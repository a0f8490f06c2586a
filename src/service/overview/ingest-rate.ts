import type { ClockJump } from '../platform/clock.ts';
import { createRollingCounter } from '../platform/rolling-counter.ts';

/** Number of whole seconds to average for the current rate. */
const NOW_SECONDS = 10;

/** Counts accepted samples by second, in memory, for the current rate. */
export const createIngestRate = () => {
  const seconds = createRollingCounter({ slotMs: 1_000, slots: NOW_SECONDS + 1 });
  return {
    /** Moves counts that would be in the future after the clock is set back. */
    shift: (jump: ClockJump) => seconds.shift(jump),
    count: (samples: number, atMs: number) => seconds.count(samples, atMs),
    /** Samples per second, without the second in progress. */
    perSecond: (nowMs: number): number => seconds.sum(nowMs, NOW_SECONDS, 1) / NOW_SECONDS,
  };
};
export type IngestRate = ReturnType<typeof createIngestRate>;
