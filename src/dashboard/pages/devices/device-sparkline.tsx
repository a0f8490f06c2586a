import { queryOptions, useQuery } from '@tanstack/react-query';
import { startTransition, useEffect, useState } from 'react';
import {
  SPARKLINE_DEVICES,
  SPARKLINE_MS,
  sparklinesApi,
  type Sparkline as Line,
} from '#contract/sparklines.ts';
import { createBatchedReads } from '../../api/batched-reads.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { formatValue } from '../../charts/axes/format-value.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import { nowMs } from '../../ui/browser/clock.ts';

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
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
  });

const describeLine = ({ metric, unit, avg }: Line): string => {
  const numbers = avg.filter((value) => value !== null);
  const format = (value: number) => formatValue(value, { unit, decimals: null });
  const [min, max, last] = [Math.min(...numbers), Math.max(...numbers), numbers.at(-1)];
  return last === undefined
    ? `${metric}: no samples in the last 24 h`
    : `${metric}, last 24 h: ${format(min)} to ${format(max)}, last ${format(last)}`;
};

/** Rows that scroll past read nothing: only to observe a query takes a tenth of the time of a row. */
const SETTLE_MS = 150;

const settling = new Set<() => void>();
let latestMs = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

const settle = () => {
  const leftMs = latestMs + SETTLE_MS - performance.now();
  timer = leftMs > 0 ? setTimeout(settle, leftMs) : undefined;
  if (leftMs > 0) return;
  startTransition(() => {
    for (const callback of settling) callback();
  });
  settling.clear();
};

/** Calls back when no row has changed for a moment. The returned function cancels it. */
const onceSettled = (callback: () => void): (() => void) => {
  settling.add(callback);
  latestMs = performance.now();
  timer ??= setTimeout(settle, SETTLE_MS);
  return () => void settling.delete(callback);
};

/** The first metric of a device in the last 24 hours, read when its row rests. */
export const DeviceSparkline = ({ deviceId }: { deviceId: string }) => {
  const [restingId, setRestingId] = useState<string>();
  useEffect(() => onceSettled(() => setRestingId(deviceId)), [deviceId]);
  return restingId === deviceId ? <ReadSparkline deviceId={deviceId} /> : null;
};

const ReadSparkline = ({ deviceId }: { deviceId: string }) => {
  const { data: reading } = useQuery(sparklineOf(deviceId));
  if (reading === undefined || reading === null || reading.line.ts.length === 0) return null;
  const { line, toMs } = reading;
  return (
    <span data-hint={describeLine(line)} className="relative z-1 text-accent">
      <Sparkline
        columns={{
          ts: Float64Array.from(line.ts),
          value: Float64Array.from(line.avg, (value) => value ?? Number.NaN),
        }}
        fromMs={toMs - SPARKLINE_MS}
        toMs={toMs}
        height={20}
        label={describeLine(line)}
      />
    </span>
  );
};
