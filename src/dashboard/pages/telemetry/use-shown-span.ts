import { useMemo, useSyncExternalStore } from 'react';
import type { LiveSource } from '../../charts/live/live-window.ts';
import type { TimeSpan } from '../../charts/series/time-span.ts';
import { nowMs } from '../../ui/browser/clock.ts';

/** Figures update at most this often. */
const EVERY_MS = 1_000;

type SpanStore = { get: () => TimeSpan | null; subscribe: (onChange: () => void) => () => void };

const fixedSpan: SpanStore = { get: () => null, subscribe: () => () => undefined };

const liveSpan = (live: LiveSource, windowMs: number): SpanStore => {
  const upToNow = (): TimeSpan => {
    const toMs = Math.ceil(nowMs());
    return { fromMs: toMs - windowMs, toMs };
  };
  let span = upToNow();
  return {
    get: () => span,
    subscribe(onChange) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const renew = () => {
        timer = undefined;
        span = upToNow();
        onChange();
      };
      const stop = live.subscribe(() => {
        timer ??= setTimeout(renew, EVERY_MS);
      });
      return () => {
        clearTimeout(timer);
        stop();
      };
    },
  };
};

/**
 * The span of figures and tables: the queried one, in live mode up to the latest sample. In live mode it changes at
 * most once a second, which limits the recomputation.
 */
export const useShownSpan = (read: TimeSpan, live: LiveSource | undefined, windowMs: number): TimeSpan => {
  const store = useMemo(() => (live === undefined ? fixedSpan : liveSpan(live, windowMs)), [live, windowMs]);
  const followed = useSyncExternalStore(store.subscribe, store.get);
  return followed === null || followed.toMs < read.toMs ? read : followed;
};
