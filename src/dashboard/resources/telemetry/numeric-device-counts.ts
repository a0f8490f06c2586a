import { queryOptions, useQuery } from '@tanstack/react-query';
import { devicesApi } from '#contract/devices.ts';
import { telemetryApi } from '#contract/telemetry.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

/** The devices that were seen last: enough to show that a metric is usually a number. */
const COMPARED_DEVICES = 100;
const COMPARED_METRICS = 20;

type TextMetrics = {
  /** Metrics whose values are text. */
  metrics: readonly string[];
  /** IDs or external IDs of the devices with this text. */
  devices: readonly string[];
  /** Compares with devices of this type; undefined: with any. */
  type?: string | undefined;
};

type Counts = Readonly<Record<string, number>>;
const none: Counts = {};

// If the query fails, the page only lacks a note.
const optional = { staleTime: 60_000, retry: false } as const;

const devicesSeenLast = (type: string | undefined) =>
  queryOptions({
    queryKey: [...queryKeys.telemetry, 'numeric-device-counts', 'devices', type ?? null],
    queryFn: async ({ signal }) => {
      const last = { sort: '-lastSeenAt', limit: COMPARED_DEVICES } as const;
      const { data } = await call(devicesApi.list, {
        query: { ...last, ...(type !== undefined && { type: [type] }) },
        signal,
      });
      return data.map(({ id, externalId }) => ({ id, externalId }));
    },
    ...optional,
  });

const numbersOn = (device: readonly string[], metric: readonly string[]) =>
  queryOptions({
    queryKey: [...queryKeys.telemetry, 'numeric-device-counts', 'counts', device, metric],
    queryFn: async ({ signal }): Promise<Counts> => {
      const latest = await call(telemetryApi.latest, {
        query: { device: [...device], metric: [...metric] },
        signal,
      });
      const counts: Record<string, number> = {};
      for (const { metric: name, kind } of latest.data)
        if (kind === 'number') counts[name] = (counts[name] ?? 0) + 1;
      return counts;
    },
    ...optional,
  });

/** By metric that is text here: on how many of the devices seen last it is a number. */
export const useNumericDeviceCounts = ({ metrics, devices, type }: TextMetrics): Counts => {
  const { data: seen = [] } = useQuery({ ...devicesSeenLast(type), enabled: metrics.length > 0 });
  const others = seen.filter(({ id, externalId }) => !devices.includes(id) && !devices.includes(externalId));
  const compared = numbersOn(
    others.map(({ id }) => id),
    metrics.slice(0, COMPARED_METRICS),
  );
  return useQuery({ ...compared, enabled: metrics.length > 0 && others.length > 0 }).data ?? none;
};
