import { createRollingCounter } from './rolling-counter.ts';

export type SampleRate = {
  count(samples: number): void;
  /** Samples per second, without the second in progress. */
  perSecond(): number;
};

/** Measures the rate of samples over the last `seconds`. `now`: a monotonic clock, in ms. */
export const createSampleRate = (now: () => number, seconds: number): SampleRate => {
  const received = createRollingCounter({ slotMs: 1_000, slots: seconds + 1 });
  return {
    count: (samples) => received.count(samples, now()),
    perSecond: () => received.sum(now(), seconds, 1) / seconds,
  };
};
