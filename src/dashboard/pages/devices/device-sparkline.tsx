import { queryOptions, useQuery } from '@tanstack/react-query';
import {
  SPARKLINE_DEVICES,
  SPARKLINE_MS,
  sparklinesApi,
  type Sparkline as Line,
} from '#contract/sparklines.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useHasKnownScope } from '../../api/session-queries.ts';
import { formatValue } from '../../charts/axes/number-format.ts';
import { Sparkline } from '../../charts/sparkline.tsx';

/** Rows that appear within this time share a request. */
const COLLECT_MS = 50;
const REFRESH_MS = 60_000;

type Loading = { lines: Promise<ReadonlyMap<string, Line>>; devices: string[] };
let collecting: Loading | undefined;

const load = async (devices: readonly string[]): Promise<ReadonlyMap<string, Line>> => {
  const { data } = await call(sparklinesApi.list, { query: { device: [...devices] } });
  return new Map(data.map((line) => [line.device, line]));
};

const collect = (): Loading => {
  const devices: string[] = [];
  const lines = new Promise<void>((resolve) => setTimeout(resolve, COLLECT_MS)).then(() => {
    if (collecting?.devices === devices) collecting = undefined;
    return load(devices);
  });
  return { lines, devices };
};

/** Reads the sparkline of a device, in one request with those of other rows. Null: it has none. */
const readSparkline = async (deviceId: string): Promise<Line | null> => {
  if (collecting === undefined || collecting.devices.length === SPARKLINE_DEVICES) collecting = collect();
  const { devices, lines } = collecting;
  devices.push(deviceId);
  return (await lines).get(deviceId) ?? null;
};

const sparklineOf = (deviceId: string) =>
  queryOptions({
    queryKey: [...queryKeys.sparklines, deviceId],
    queryFn: () => readSparkline(deviceId),
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
  const canRead = useHasKnownScope('telemetry:read');
  const { data: line, dataUpdatedAt } = useQuery({ ...sparklineOf(deviceId), enabled: canRead });
  if (line === undefined || line === null || line.ts.length === 0) return null;
  return (
    <span data-hint={describeLine(line)} className="relative z-1 text-accent">
      <Sparkline
        columns={{
          ts: Float64Array.from(line.ts),
          value: Float64Array.from(line.avg, (value) => value ?? Number.NaN),
        }}
        fromMs={dataUpdatedAt - SPARKLINE_MS}
        toMs={dataUpdatedAt}
        height={20}
        label={describeLine(line)}
      />
    </span>
  );
};
