import type { Spool } from '#contract/pipeline-state.ts';
import { createRollingCounter } from '../../platform/rolling-counter.ts';

/** The window of the measurement, in seconds. */
const WINDOW_S = 60;

export type SpoolThroughput = {
  /** Counts bytes added to or removed from the spool. */
  count(flow: 'in' | 'out', bytes: number): void;
  /**
   * Forecasts when the spool will be empty, or full while the destination fails, from the last minute.
   */
  forecast(waiting: {
    bytes: number;
    limitBytes: number;
    isFailing: boolean;
  }): Pick<Spool, 'drainsInSeconds' | 'fullInSeconds'>;
};

/** Measures how fast a spool fills and drains. `now`: a monotonic clock, in ms. */
export const createSpoolThroughput = (now: () => number): SpoolThroughput => {
  const startedAtS = now() / 1_000;
  // The seconds of the window, and the second in progress.
  const slots = WINDOW_S + 1;
  const bytesOf = {
    in: createRollingCounter({ slotMs: 1_000, slots }),
    out: createRollingCounter({ slotMs: 1_000, slots }),
  };

  const perSecond = (flow: 'in' | 'out'): number =>
    bytesOf[flow].sum(now(), slots) / Math.max(1, Math.min(WINDOW_S, now() / 1_000 - startedAtS));

  return {
    count: (flow, bytes) => bytesOf[flow].count(bytes, now()),
    forecast: ({ bytes, limitBytes, isFailing }) => {
      const growth = perSecond('in') - perSecond('out');
      return {
        drainsInSeconds: bytes > 0 && growth < 0 && !isFailing ? Math.round(bytes / -growth) : null,
        fullInSeconds: growth > 0 && isFailing ? Math.round(Math.max(0, limitBytes - bytes) / growth) : null,
      };
    },
  };
};
