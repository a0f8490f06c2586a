import { createRollingCounter } from '../../platform/rolling-counter.ts';

const RATE_S = 60;

export type SampleRate = {
  count(samples: number): void;
  /** Samples per second over the last minute, without the second in progress. */
  perSecond(): number;
};

/** Counts the samples of a pipeline. */
export const createSampleRate = (now: () => number): SampleRate => {
  const received = createRollingCounter({ slotMs: 1_000, slots: RATE_S + 1 });
  return {
    count: (samples) => received.count(samples, now()),
    perSecond: () => received.sum(now(), RATE_S, 1) / RATE_S,
  };
};
