import {
  keepPreviousData,
  queryOptions,
  QueryObserver,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import {
  SPARKLINE_DEVICES,
  SPARKLINE_MS,
  sparklinesApi,
  type Sparkline as Line,
} from '#contract/sparklines.ts';
import { createBatchedReads } from '../../api/batched-reads.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { formatValue } from '../../ui/format/format-value.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import { nowMs } from '../../ui/browser/clock.ts';
import { createListeners } from '../../ui/browser/listeners.ts';

const REFRESH_MS = 60_000;

/** A line, and the end of its range by the service's clock. */
type Reading = { line: Line; toMs: number };

/** Reads the sparkline of a device, in one request with those of other rows. Null: the device has none. */
const readSparkline = createBatchedReads<Reading>(SPARKLINE_DEVICES, async (ids) => {
  const { data } = await call(sparklinesApi.list, { query: { device: [...ids] } });
  const toMs = nowMs();
  return new Map(data.map((line) => [line.device, { line, toMs }]));
});

const sparklineOf = (deviceId: string) =>
  queryOptions({
    queryKey: [...queryKeys.sparklines, deviceId],
    queryFn: ({ signal }) => readSparkline(deviceId, signal),
    staleTime: REFRESH_MS / 2,
  });

const valuesOf = ({ avg, rate }: Line) => avg ?? rate ?? [];

const describeLine = (line: Line): string => {
  const { metric, unit, rate } = line;
  const name = rate === undefined ? metric : `${metric}, rate`;
  const numbers = valuesOf(line).filter((value) => value !== null);
  const round = (value: number) => (rate === undefined ? value : Number(value.toPrecision(3)));
  const format = (value: number) => formatValue(round(value), { unit, decimals: null });
  const [min, max, last] = [Math.min(...numbers), Math.max(...numbers), numbers.at(-1)];
  return last === undefined
    ? `${name}: no samples in the last 24 h`
    : `${name}, last 24 h: ${format(min)} to ${format(max)}, last ${format(last)}`;
};

/** Rows that scroll past read nothing. */
const SETTLE_MS = 150;

/**
 * The sparklines of the rows that rest. They share one observer of queries: with an observer each, rows would take twice as long to be
 * replaced.
 */
const createRestingSparklines = (client: QueryClient) => {
  const restingIds = new Set<string>();
  const listeners = createListeners();
  /** A line that cannot be read must not hide the others. */
  const read = async (id: string) => {
    const query = sparklineOf(id);
    return client.fetchQuery(query).catch(() => client.getQueryData(query.queryKey) ?? null);
  };
  const linesOf = (ids: readonly string[]) =>
    queryOptions({
      queryKey: [...queryKeys.sparklines, 'resting', ids],
      queryFn: async () => new Map(await Promise.all(ids.map(async (id) => [id, await read(id)] as const))),
      placeholderData: keepPreviousData,
      refetchInterval: REFRESH_MS,
      // Each line is cached on its own.
      gcTime: 0,
    });
  const observerOf = (ids: readonly string[]) => new QueryObserver(client, linesOf(ids));
  /** Undefined while no row rests: it must not outlive the page or the session. */
  let observer: ReturnType<typeof observerOf> | undefined;
  let latestMs = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const settle = () => {
    const leftMs = latestMs + SETTLE_MS - performance.now();
    timer = leftMs > 0 ? setTimeout(settle, leftMs) : undefined;
    if (leftMs > 0) return;
    if (restingIds.size === 0) {
      observer?.destroy();
      observer = undefined;
    } else if (observer === undefined) {
      observer = observerOf([...restingIds].toSorted());
      observer.subscribe(listeners.notify);
    } else observer.setOptions(linesOf([...restingIds].toSorted()));
  };
  const settleLater = () => {
    latestMs = performance.now();
    timer ??= setTimeout(settle, SETTLE_MS);
  };
  return {
    /** Reads the sparkline of a device until the returned function is called. */
    observe: (id: string) => {
      restingIds.add(id);
      settleLater();
      return () => {
        restingIds.delete(id);
        settleLater();
      };
    },
    subscribe: listeners.subscribe,
    readingOf: (id: string): Reading | null => observer?.getCurrentResult().data?.get(id) ?? null,
  };
};

const restingSparklines = new WeakMap<QueryClient, ReturnType<typeof createRestingSparklines>>();

const restingSparklinesOf = (client: QueryClient) => {
  const sparklines = restingSparklines.get(client) ?? createRestingSparklines(client);
  restingSparklines.set(client, sparklines);
  return sparklines;
};

/** The first metric of a device in the last 24 hours, read when its row rests. */
export const DeviceSparkline = ({ deviceId }: { deviceId: string }) => {
  const { observe, subscribe, readingOf } = restingSparklinesOf(useQueryClient());
  useEffect(() => observe(deviceId), [observe, deviceId]);
  const reading = useSyncExternalStore(subscribe, () => readingOf(deviceId));
  return reading === null || reading.line.ts.length === 0 ? null : <LineOfReading {...reading} />;
};

const LineOfReading = ({ line, toMs }: Reading) => (
  <span data-hint={describeLine(line)} className="relative z-1 text-accent">
    <Sparkline
      columns={{
        ts: Float64Array.from(line.ts),
        value: Float64Array.from(valuesOf(line), (value) => value ?? Number.NaN),
      }}
      fromMs={toMs - SPARKLINE_MS}
      toMs={toMs}
      {...(line.rate !== undefined && { includes: 0 })}
      height={20}
      label={describeLine(line)}
    />
  </span>
);
