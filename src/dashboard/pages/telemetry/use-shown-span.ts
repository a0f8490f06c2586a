import { useMemo, useSyncExternalStore } from 'react';
import type { LiveSource, TimeSpan } from '../../charts/live/live-window.ts';
import { nowMs } from '../../ui/browser/clock.ts';

/** Figures that change more often than this are not read. */
const EVERY_MS = 1_000;

type SpanStore = { get: () => TimeSpan | null; subscribe: (onChange: () => void) => () => void };

const still: SpanStore = { get: () => null, subscribe: () => () => undefined };

const following = (live: LiveSource, windowMs: number): SpanStore => {
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
 * The span that figures and tables are about: what was read, and in live mode up to the latest sample. There it is a
 * new one at most once a second, as samples come, so that what is reckoned from it is reckoned anew.
 */
export const useShownSpan = (read: TimeSpan, live: LiveSource | undefined, windowMs: number): TimeSpan => {
  const store = useMemo(() => (live === undefined ? still : following(live, windowMs)), [live, windowMs]);
  const followed = useSyncExternalStore(store.subscribe, store.get);
  return followed === null || followed.toMs < read.toMs ? read : followed;
};
