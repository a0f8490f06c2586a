import { useEffect, useSyncExternalStore } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import { useLiveStatus } from '../../api/live/use-live.ts';
import { nowMs } from '../../ui/browser/clock.ts';

/** As the service reckons it: values received over the last 10 s. */
const WINDOW_MS = 10_000;
const STEP_MS = 5_000;
const LEAST_WINDOW_MS = 4_000;
/** An hour of steps. */
const KEPT_POINTS = 720;
/** Steps that are further apart than this were not seen: the line is left open there. */
const GAP_MS = 2.5 * STEP_MS;

/** Samples per second as far as this tab has seen them; `ts` epoch ms, NaN where nobody looked. */
export type ObservedRates = { ts: Float64Array; value: Float64Array };

type Seen = {
  /** What the ledger said when, newest last; the first may be older than the window. */
  counts: { atMs: number; received: number }[];
  /** Until when nothing was missed. */
  followedMs: number;
  rates: ObservedRates;
  grewAtMs: number | null;
};

const NONE: ObservedRates = { ts: new Float64Array(), value: new Float64Array() };

const followedBy = (column: Float64Array, value: number) =>
  Float64Array.from([...column.subarray(-KEPT_POINTS + 1), value]);

/**
 * What pipelines receive each second, made of what their ledgers say while one looks: the API has no series of it.
 * Kept for the life of the tab, so that a page which is opened again goes on where it was left.
 */
export const createThroughput = () => {
  const seen = new Map<string, Seen>();
  const listeners = new Set<() => void>();

  /** NaN: not followed for long enough to say. The first step has half a window to go by. */
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
    /** The ledger of a pipeline said at a time that it had received so many values in all; what the service calls its rate begins the line. */
    note: ({ id, ledger: { received }, rate }: Pick<Pipeline, 'id' | 'ledger' | 'rate'>, atMs: number) => {
      const known = seen.get(id);
      if (known === undefined) {
        const rates = { ts: Float64Array.of(atMs), value: Float64Array.of(rate.perSecond) };
        seen.set(id, { counts: [{ atMs, received }], followedMs: atMs, rates, grewAtMs: null });
        return;
      }
      const last = known.counts.at(-1);
      if (last !== undefined && received === last.received) return;
      // What came while nobody looked came at an unknown time.
      if (atMs - known.followedMs > GAP_MS) known.counts = [];
      else if (last !== undefined && received > last.received) known.grewAtMs = atMs;
      known.followedMs = Math.max(known.followedMs, atMs);
      known.counts.push({ atMs, received });
      while ((known.counts[1]?.atMs ?? Infinity) <= atMs - WINDOW_MS) known.counts.shift();
      for (const listener of listeners) listener();
    },
    /** A step of the rates; `isLive` false: nothing was heard, so nothing is known. */
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
    /** When values were last seen to come in; null: not while this tab looked. */
    grewAtMs: (id: string): number | null => seen.get(id)?.grewAtMs ?? null,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

const throughput = createThroughput();

/** Follows the ledgers of these pipelines while the component is on the page. `readAtMs`: when they were read or told. */
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
 * Reads now and then what the frames of the stream do not tell: when the last message came, why a state still holds.
 * A query's own `refetchInterval` would never come: each frame starts it anew.
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

/** The rate now: what was just seen, or else what the service said. */
export const usePerSecond = ({ id, rate }: Pick<Pipeline, 'id' | 'rate'>): number => {
  const last = useRates(id).value.at(-1) ?? NaN;
  return Number.isNaN(last) ? rate.perSecond : last;
};

/** When the last message came: the frames of the stream do not say, but their ledger grows. */
export const useLastMessageMs = ({ id, lastMessageAt }: Pick<Pipeline, 'id' | 'lastMessageAt'>) => {
  const grewAtMs = useSyncExternalStore(throughput.subscribe, () => throughput.grewAtMs(id));
  const saidMs = lastMessageAt === null ? null : Date.parse(lastMessageAt);
  return grewAtMs === null ? saidMs : Math.max(saidMs ?? 0, grewAtMs);
};
