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

const numbersElsewhere = ({ metrics, devices, type }: TextMetrics) =>
  queryOptions({
    queryKey: [...queryKeys.telemetry, 'numbers-elsewhere', metrics, devices, type],
    queryFn: async ({ signal }): Promise<Counts> => {
      const last = { sort: '-lastSeenAt', limit: COMPARED_DEVICES } as const;
      const seen = await call(devicesApi.list, {
        query: { ...last, ...(type !== undefined && { type: [type] }) },
        signal,
      });
      const others = seen.data.filter(
        ({ id, externalId }) => !devices.includes(id) && !devices.includes(externalId),
      );
      if (others.length === 0) return none;
      const latest = await call(telemetryApi.latest, {
        query: { device: others.map(({ id }) => id), metric: metrics.slice(0, COMPARED_METRICS) },
        signal,
      });
      const counts: Record<string, number> = {};
      for (const { metric, kind } of latest.data)
        if (kind === 'number') counts[metric] = (counts[metric] ?? 0) + 1;
      return counts;
    },
    enabled: metrics.length > 0,
    staleTime: 60_000,
    // Without an answer, the page lacks a note.
    retry: false,
  });

/** By metric that is text here: on how many of the devices seen last it is a number. */
export const useNumbersElsewhere = (text: TextMetrics): Counts =>
  useQuery(numbersElsewhere(text)).data ?? none;
