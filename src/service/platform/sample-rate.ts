import { createRollingCounter } from './rolling-counter.ts';

const SECOND_MS = 1_000;

export type SampleRate = {
  count(samples: number): void;
  /** Samples per second. After the first `seconds` without the second in progress, which is not complete. */
  perSecond(): number;
};

/** A shorter window would show a burst after the start as a high rate. */
const MIN_WINDOW_S = 10;

/**
 * Measures the mean rate of samples over the last `seconds`, or since the start if that is less. `now`: a monotonic clock,
 * in ms.
 */
export const createSampleRate = (now: () => number, seconds: number): SampleRate => {
  const received = createRollingCounter({ slotMs: SECOND_MS, slots: seconds + 1 });
  const startedAt = now();
  return {
    count: (samples) => received.count(samples, now()),
    perSecond: () => {
      const measured = (now() - startedAt) / SECOND_MS;
      return measured < seconds
        ? received.sum(now(), seconds + 1) / Math.min(seconds, Math.max(MIN_WINDOW_S, measured))
        : received.sum(now(), seconds, 1) / seconds;
    },
  };
};
