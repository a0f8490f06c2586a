import type { ClockJump } from '../platform/clock.ts';
import { createRollingCounter } from '../platform/rolling-counter.ts';

/** Over how many whole seconds "now" is averaged. */
const NOW_SECONDS = 10;

/** Counts accepted values by second and by minute, in memory: what the overview shows of the last hour. */
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
      // The second that is under way is not over yet.
      perSecond: seconds.sum(nowMs, NOW_SECONDS, 1) / NOW_SECONDS,
      perMinute: minutes.list(nowMs),
    }),
  };
};
export type IngestRate = ReturnType<typeof createIngestRate>;
