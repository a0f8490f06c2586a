import { queryOptions, useQuery } from '@tanstack/react-query';
import {
  SPARKLINE_DEVICES,
  SPARKLINE_MS,
  sparklinesApi,
  type Sparkline as Line,
} from '#contract/sparklines.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { formatValue } from '../../charts/axes/number-format.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import { nowMs } from '../../ui/browser/clock.ts';

/** While rows scroll, the request waits for a pause. */
const REST_MS = 250;
const REFRESH_MS = 60_000;

/** A line, and the end of its range by the service's clock. Null: the device has none. */
type Reading = { line: Line; toMs: number } | null;
type Waiting = {
  deviceId: string;
  signal: AbortSignal;
  resolve: (reading: Reading) => void;
  reject: (reason: unknown) => void;
};
let waiting: Waiting[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

const load = async (rows: readonly Waiting[]) => {
  try {
    const { data } = await call(sparklinesApi.list, {
      query: { device: rows.map(({ deviceId }) => deviceId) },
    });
    const toMs = nowMs();
    const lines = new Map(data.map((line) => [line.device, line]));
    for (const { deviceId, resolve } of rows) {
      const line = lines.get(deviceId);
      resolve(line === undefined ? null : { line, toMs });
    }
  } catch (error) {
    for (const { reject } of rows) reject(error);
  }
};

/** Rows that have left the screen meanwhile are not loaded: their queries were cancelled. */
const loadWaiting = () => {
  const rows = waiting.filter(({ signal }) => !signal.aborted);
  waiting = [];
  for (let start = 0; start < rows.length; start += SPARKLINE_DEVICES)
    void load(rows.slice(start, start + SPARKLINE_DEVICES));
};

/** Reads the sparkline of a device, in one request with those of other rows. */
const readSparkline = (deviceId: string, signal: AbortSignal): Promise<Reading> =>
  new Promise((resolve, reject) => {
    waiting.push({ deviceId, signal, resolve, reject });
    clearTimeout(timer);
    timer = setTimeout(loadWaiting, REST_MS);
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

/** The first metric of a device in the last 24 hours. */
export const DeviceSparkline = ({ deviceId }: { deviceId: string }) => {
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
