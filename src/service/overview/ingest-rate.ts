import type { ClockJump } from '../platform/clock.ts';
import { createRollingCounter } from '../platform/rolling-counter.ts';

/** Number of whole seconds to average for the current rate. */
const NOW_SECONDS = 10;

/** Counts accepted values by second and by minute, in memory, for the last hour of the overview. */
export const createIngestRate = () => {
  const minutes = createRollingCounter({ slotMs: 60_000, slots: 60 });
  const seconds = createRollingCounter({ slotMs: 1_000, slots: NOW_SECONDS + 1 });

  return {
    /** Moves counts that would be in the future after the clock is set back. */
    shift: (jump: ClockJump) => {
      minutes.shift(jump);
      seconds.shift(jump);
    },
    count: (values: number, atMs: number) => {
      minutes.count(values, atMs);
      seconds.count(values, atMs);
    },
    read: (nowMs: number): { perSecond: number; perMinute: { ts: number; count: number }[] } => ({
      // Excludes the second in progress.
      perSecond: seconds.sum(nowMs, NOW_SECONDS, 1) / NOW_SECONDS,
      perMinute: minutes.list(nowMs),
    }),
  };
};
export type IngestRate = ReturnType<typeof createIngestRate>;
