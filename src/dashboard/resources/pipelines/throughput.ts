import { useEffect, useSyncExternalStore } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import { useLiveStatus } from '../../api/live/live-status.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { createListeners } from '../../ui/browser/listeners.ts';

const STEP_MS = 5_000;
/** An hour of steps. */
const KEPT_POINTS = 720;
/** Steps further apart than this leave a gap in the line. */
const GAP_MS = 2.5 * STEP_MS;

/** The throughput at each step of this tab; `ts` in epoch ms, NaN where it was unknown. */
export type ObservedRates = { ts: Float64Array; value: Float64Array };

type Seen = {
  /** Samples per second in the last minute, as the service reported it last. */
  perSecond: number;
  received: number;
  /** The time up to which no frame was missed. */
  followedMs: number;
  rates: ObservedRates;
  grewAtMs: number | null;
};

const NONE: ObservedRates = { ts: new Float64Array(), value: new Float64Array() };

const followedBy = (column: Float64Array, value: number) =>
  Float64Array.from([...column.subarray(-KEPT_POINTS + 1), value]);

/**
 * The throughput of pipelines over time, as this tab reads it: finer and newer than the minutes that the service records.
 * Kept as long as the tab, so that a reopened page continues its line.
 */
export const createThroughput = () => {
  const seen = new Map<string, Seen>();
  const { subscribe, notify } = createListeners();

  return {
    /** Records what the service reported of a pipeline at a time. */
    record: ({ id, ledger, rate }: Pick<Pipeline, 'id' | 'ledger' | 'rate'>, atMs: number) => {
      const { received } = ledger;
      const { perSecond } = rate;
      const known = seen.get(id);
      if (known === undefined) {
        const rates = { ts: Float64Array.of(atMs), value: Float64Array.of(perSecond) };
        seen.set(id, { perSecond, received, followedMs: atMs, rates, grewAtMs: null });
        return;
      }
      known.perSecond = perSecond;
      if (received === known.received) return;
      // When the samples during a gap arrived is unknown.
      if (received > known.received && atMs - known.followedMs <= GAP_MS) known.grewAtMs = atMs;
      known.received = received;
      known.followedMs = Math.max(known.followedMs, atMs);
      notify();
    },
    /** Continues the lines by one step; `isLive` false: nothing was read, so the throughput is unknown. */
    step: (ids: readonly string[], atMs: number, isLive: boolean) => {
      for (const id of ids) {
        const known = seen.get(id);
        if (known === undefined) continue;
        const isFollowed = isLive && atMs - known.followedMs <= GAP_MS;
        if (isLive) known.followedMs = atMs;
        const rate = isFollowed ? known.perSecond : NaN;
        if (Number.isNaN(rate) && Number.isNaN(known.rates.value.at(-1) ?? NaN)) continue;
        known.rates = { ts: followedBy(known.rates.ts, atMs), value: followedBy(known.rates.value, rate) };
      }
      notify();
    },
    ratesOf: (id: string): ObservedRates => seen.get(id)?.rates ?? NONE,
    /** When samples were last observed; null: not by this tab. */
    grewAtMs: (id: string): number | null => seen.get(id)?.grewAtMs ?? null,
    subscribe,
  };
};

const throughput = createThroughput();

/**
 * Observes the throughput and the ledgers of these pipelines while mounted. `readAtMs`: when they were queried or
 * reported.
 */
export const useThroughput = (pipelines: readonly Pipeline[], readAtMs: number) => {
  const isLive = useLiveStatus().state === 'live';
  useEffect(() => {
    const atMs = readAtMs + nowMs() - Date.now();
    for (const pipeline of pipelines) throughput.record(pipeline, atMs);
  }, [pipelines, readAtMs]);
  const key = pipelines.map(({ id }) => id).join(' ');
  useEffect(() => {
    // Nothing is refetched for a hidden page.
    const step = () => throughput.step(key.split(' '), nowMs(), isLive && !document.hidden);
    const timer = setInterval(step, STEP_MS);
    return () => clearInterval(timer);
  }, [key, isLive]);
};

const REFRESH_MS = 15_000;

/**
 * Refetches regularly what the stream does not report: the last message, and the throughput while nothing is received. A
 * query's own `refetchInterval` would never fire, since each frame restarts it.
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

/** When the last message arrived: not in the frames, but visible in the growing ledger. */
export const useLastMessageMs = ({ id, lastMessageAt }: Pick<Pipeline, 'id' | 'lastMessageAt'>) => {
  const grewAtMs = useSyncExternalStore(throughput.subscribe, () => throughput.grewAtMs(id));
  const reportedMs = lastMessageAt === null ? null : Date.parse(lastMessageAt);
  return grewAtMs === null ? reportedMs : Math.max(reportedMs ?? 0, grewAtMs);
};
