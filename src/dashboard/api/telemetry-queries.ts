import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { telemetryApi } from '#contract/telemetry.ts';
import { call } from './client.ts';

/** Ends of a range as the address holds them: relative (`-24h`, `now`), RFC 3339 or epoch ms. */
export type SeriesRequest = {
  devices: readonly string[];
  metrics: readonly string[];
  from: string;
  to: string;
  /** As many buckets as the chart has pixels. */
  points: number;
};

export const telemetryQueries = {
  metrics: (deviceId: string) =>
    queryOptions({
      queryKey: ['telemetry', 'metrics', deviceId],
      queryFn: ({ signal }) => call(telemetryApi.metrics, { params: { id: deviceId }, signal }),
    }),
  latest: (deviceId: string) =>
    queryOptions({
      queryKey: ['telemetry', 'latest', deviceId],
      queryFn: ({ signal }) => call(telemetryApi.latest, { query: { device: [deviceId] }, signal }),
    }),
  series: ({ devices, metrics, from, to, points }: SeriesRequest) =>
    queryOptions({
      queryKey: ['telemetry', 'series', { devices, metrics, from, to, points }],
      queryFn: ({ signal }) =>
        call(telemetryApi.query, {
          body: { devices: [...devices], metrics: [...metrics], from, to, points },
          signal,
        }),
      placeholderData: keepPreviousData,
      enabled: devices.length > 0 && metrics.length > 0,
    }),
};
