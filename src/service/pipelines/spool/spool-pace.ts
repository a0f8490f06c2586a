import type { Spool } from '#contract/pipelines.ts';

/** Seconds that the pace is looked at over. */
const WINDOW_S = 60;

export type SpoolPace = {
  /** Bytes that came into the spool, or went out of it. */
  count(flow: 'in' | 'out', bytes: number): void;
  /**
   * How long it takes until nothing waits, or, while the destination fails, until no more may: as it went over the last
   * minute.
   */
  outlook(waiting: {
    bytes: number;
    limitBytes: number;
    isFailing: boolean;
  }): Pick<Spool, 'drainsInSeconds' | 'fullInSeconds'>;
};

/** Measures how fast a spool fills and drains. `now`: a monotonic clock, in ms. */
export const createSpoolPace = (now: () => number): SpoolPace => {
  const bornAtS = now() / 1_000;
  const seconds = new Map<number, { in: number; out: number }>();

  const perSecond = (flow: 'in' | 'out'): number => {
    const nowS = now() / 1_000;
    let bytes = 0;
    for (const [second, flows] of seconds) if (second >= Math.floor(nowS) - WINDOW_S) bytes += flows[flow];
    return bytes / Math.max(1, Math.min(WINDOW_S, nowS - bornAtS));
  };

  return {
    count: (flow, bytes) => {
      const second = Math.floor(now() / 1_000);
      const flows = seconds.get(second) ?? { in: 0, out: 0 };
      flows[flow] += bytes;
      seconds.set(second, flows);
      for (const old of seconds.keys()) {
        if (old >= second - WINDOW_S) break;
        seconds.delete(old);
      }
    },
    outlook: ({ bytes, limitBytes, isFailing }) => {
      const growth = perSecond('in') - perSecond('out');
      return {
        drainsInSeconds: bytes > 0 && growth < 0 && !isFailing ? Math.round(bytes / -growth) : null,
        fullInSeconds: growth > 0 && isFailing ? Math.round(Math.max(0, limitBytes - bytes) / growth) : null,
      };
    },
  };
};
