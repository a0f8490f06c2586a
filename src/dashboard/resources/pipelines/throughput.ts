import { useEffect, useSyncExternalStore } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import { useLiveStatus } from '../../api/live/use-live.ts';
import { nowMs } from '../../ui/browser/clock.ts';

/** As the service computes it: samples received over the last 10 s. */
const WINDOW_MS = 10_000;
const STEP_MS = 5_000;
const LEAST_WINDOW_MS = 4_000;
/** An hour of steps. */
const KEPT_POINTS = 720;
/** Steps further apart than this leave a gap in the line. */
const GAP_MS = 2.5 * STEP_MS;

/** Samples per second as observed by this tab; `ts` in epoch ms, NaN where nothing was observed. */
export type ObservedRates = { ts: Float64Array; value: Float64Array };

type Seen = {
  /** Observed ledger counts, newest last; the first may be older than the window. */
  counts: { atMs: number; received: number }[];
  /** The time up to which no frame was missed. */
  followedMs: number;
  rates: ObservedRates;
  grewAtMs: number | null;
};

const NONE: ObservedRates = { ts: new Float64Array(), value: new Float64Array() };

const followedBy = (column: Float64Array, value: number) =>
  Float64Array.from([...column.subarray(-KEPT_POINTS + 1), value]);

/**
 * The throughput of pipelines, computed from observed ledgers: the API has no series of it. Kept as long as the tab, so
 * that a reopened page continues its line.
 */
export const createThroughput = () => {
  const seen = new Map<string, Seen>();
  const listeners = new Set<() => void>();

  /** NaN: observed for too short a time. The first step needs half a window. */
  const rateOf = ({ counts }: Seen, atMs: number): number => {
    const before = counts.findLast((count) => count.atMs <= atMs - WINDOW_MS);
    const [first] = counts;
    const last = counts.at(-1);
    if (first === undefined || last === undefined) return NaN;
    const windowMs = before === undefined ? atMs - first.atMs : WINDOW_MS;
    if (windowMs < LEAST_WINDOW_MS) return NaN;
    return Math.max(0, last.received - (before ?? first).received) / (windowMs / 1_000);
  };

  return {
    /** Records the received count of a pipeline at a time. The service's own rate starts the line. */
    note: ({ id, ledger: { received }, rate }: Pick<Pipeline, 'id' | 'ledger' | 'rate'>, atMs: number) => {
      const known = seen.get(id);
      if (known === undefined) {
        const rates = { ts: Float64Array.of(atMs), value: Float64Array.of(rate.perSecond) };
        seen.set(id, { counts: [{ atMs, received }], followedMs: atMs, rates, grewAtMs: null });
        return;
      }
      const last = known.counts.at(-1);
      if (last !== undefined && received === last.received) return;
      // When the samples during a gap arrived is unknown.
      if (atMs - known.followedMs > GAP_MS) known.counts = [];
      else if (last !== undefined && received > last.received) known.grewAtMs = atMs;
      known.followedMs = Math.max(known.followedMs, atMs);
      known.counts.push({ atMs, received });
      while ((known.counts[1]?.atMs ?? Infinity) <= atMs - WINDOW_MS) known.counts.shift();
      for (const listener of listeners) listener();
    },
    /** Computes one step of the rates; `isLive` false: no frames arrived, so the rate is unknown. */
    step: (ids: readonly string[], atMs: number, isLive: boolean) => {
      for (const id of ids) {
        const known = seen.get(id);
        if (known === undefined) continue;
        const isFollowed = isLive && atMs - known.followedMs <= GAP_MS;
        if (isLive && !isFollowed) known.counts = known.counts.slice(-1).map((count) => ({ ...count, atMs }));
        if (isLive) known.followedMs = atMs;
        const rate = isFollowed ? rateOf(known, atMs) : NaN;
        if (Number.isNaN(rate) && Number.isNaN(known.rates.value.at(-1) ?? NaN)) continue;
        known.rates = { ts: followedBy(known.rates.ts, atMs), value: followedBy(known.rates.value, rate) };
      }
      for (const listener of listeners) listener();
    },
    ratesOf: (id: string): ObservedRates => seen.get(id)?.rates ?? NONE,
    /** When samples were last observed; null: not by this tab. */
    grewAtMs: (id: string): number | null => seen.get(id)?.grewAtMs ?? null,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

const throughput = createThroughput();

/** Observes the ledgers of these pipelines while mounted. `readAtMs`: when they were queried or reported. */
export const useThroughput = (pipelines: readonly Pipeline[], readAtMs: number) => {
  const isLive = useLiveStatus().state === 'live';
  useEffect(() => {
    const atMs = readAtMs + nowMs() - Date.now();
    for (const pipeline of pipelines) throughput.note(pipeline, atMs);
  }, [pipelines, readAtMs]);
  const key = pipelines.map(({ id }) => id).join(' ');
  useEffect(() => {
    const timer = setInterval(() => throughput.step(key.split(' '), nowMs(), isLive), STEP_MS);
    return () => clearInterval(timer);
  }, [key, isLive]);
};

const REFRESH_MS = 15_000;

/**
 * Refetches regularly what the stream does not report: the last message and the reason of a state. A query's own
 * `refetchInterval` would never fire, since each frame restarts it.
 */
export const useRefreshed = (refetch: () => unknown) => {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) refetch();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [refetch]);
};

export const useRates = (id: string): ObservedRates =>
  useSyncExternalStore(throughput.subscribe, () => throughput.ratesOf(id));

/** The current rate: observed, or else from the service. */
export const usePerSecond = ({ id, rate }: Pick<Pipeline, 'id' | 'rate'>): number => {
  const last = useRates(id).value.at(-1) ?? NaN;
  return Number.isNaN(last) ? rate.perSecond : last;
};

/** When the last message arrived: not in the frames, but visible in the growing ledger. */
export const useLastMessageMs = ({ id, lastMessageAt }: Pick<Pipeline, 'id' | 'lastMessageAt'>) => {
  const grewAtMs = useSyncExternalStore(throughput.subscribe, () => throughput.grewAtMs(id));
  const saidMs = lastMessageAt === null ? null : Date.parse(lastMessageAt);
  return grewAtMs === null ? saidMs : Math.max(saidMs ?? 0, grewAtMs);
};
