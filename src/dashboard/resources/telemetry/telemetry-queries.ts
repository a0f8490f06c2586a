import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { devicesApi, type Device } from '#contract/devices.ts';
import { metricsApi } from '#contract/metrics.ts';
import { defaultAggregates, telemetryApi, type Aggregate } from '#contract/telemetry.ts';
import { hasCode } from '../../api/api-error.ts';
import { call, callWithEtag } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

export type DeviceMetric = { deviceId: string; metric: string };

/** Ends of a range as in the URL: relative (`-24h`, `now`), RFC 3339 or epoch ms. */
export type SeriesRequest = {
  devices: readonly string[];
  metrics: readonly string[];
  from: string;
  to: string;
  /** As many buckets as the chart has pixels. */
  points: number;
  /** Of each bucket. Default: what a chart of numbers and states draws. */
  agg?: readonly Aggregate[];
};

/** What charts of numbers and states draw of a bucket. */
export const DRAWN: readonly Aggregate[] = [...defaultAggregates, 'last'];
/** The first samples as well: counters follow from the first and last ones, and statistics are exact. */
export const CHARTED: readonly Aggregate[] = [...DRAWN, 'first'];

/** The most devices that one choice of tags selects. */
export const MAX_TAGGED = 200;
const FOUND_DEVICES = 20;
const IS_TAG = /^[A-Za-z0-9._-]{1,64}:./;

export const telemetryQueries = {
  metrics: (deviceId: string) =>
    queryOptions({
      queryKey: [...queryKeys.telemetry, 'metrics', deviceId],
      queryFn: ({ signal }) => call(metricsApi.list, { params: { id: deviceId }, signal }),
    }),
  /** The settings of a metric, with the revisions that changes are based on. */
  metric: ({ deviceId, metric }: DeviceMetric) =>
    queryOptions({
      queryKey: [...queryKeys.telemetry, 'metric', deviceId, metric],
      // A form must not begin with an outdated revision.
      staleTime: 0,
      queryFn: async ({ signal }) => {
        const device = await callWithEtag(metricsApi.get, { params: { id: deviceId, metric }, signal });
        const { deviceType } = device.body;
        const type =
          deviceType === ''
            ? null
            : await callWithEtag(metricsApi.getOfType, { params: { deviceType, metric }, signal });
        return {
          details: device.body,
          type: type && { settings: type.body, etag: type.etag },
          device: { settings: device.body.deviceSettings, etag: device.etag },
        };
      },
    }),
  latest: (deviceId: string) =>
    queryOptions({
      queryKey: [...queryKeys.telemetry, 'latest', deviceId],
      queryFn: ({ signal }) => call(telemetryApi.latest, { query: { device: [deviceId] }, signal }),
    }),
  series: ({ devices, metrics, from, to, points, agg = DRAWN }: SeriesRequest) =>
    queryOptions({
      queryKey: [...queryKeys.telemetry, 'series', { devices, metrics, from, to, points, agg }],
      queryFn: ({ signal }) =>
        call(telemetryApi.query, {
          body: {
            devices: [...devices],
            metrics: [...metrics],
            from,
            to,
            points,
            agg: [...agg],
          },
          signal,
        }),
      placeholderData: keepPreviousData,
      // Comparing thousands of numbers costs more than redrawing them.
      structuralSharing: false,
      enabled: devices.length > 0 && metrics.length > 0,
    }),
  /**
   * The name of a device in a link; null if the device does not exist. A session without `devices:read` gets the ID,
   * since the series can be read. Not an error, since a retry would not help.
   */
  namedDevice: (id: string) =>
    queryOptions({
      queryKey: [...queryKeys.devices, 'named', id],
      queryFn: async ({ signal }): Promise<Pick<Device, 'id' | 'name' | 'externalId'> | null> => {
        try {
          return await call(devicesApi.get, { params: { id }, signal });
        } catch (error) {
          if (hasCode(error, 'not-found')) return null;
          if (hasCode(error, 'insufficient-scope')) return { id, name: id, externalId: id };
          throw error;
        }
      },
    }),
  /** The devices that carry all of these tags (`key:value`), the first 200 by name. */
  taggedDevices: (tags: readonly string[]) =>
    queryOptions({
      queryKey: [...queryKeys.devices, 'tagged', tags],
      queryFn: ({ signal }) =>
        call(devicesApi.list, { query: { tag: [...tags], limit: MAX_TAGGED, total: true }, signal }),
      enabled: tags.length > 0,
    }),
  /**
   * The first devices that match a text: by name, external ID or tag (`key:value`); without a text, the most recently
   * seen.
   */
  findDevices: (text: string) =>
    queryOptions({
      queryKey: [...queryKeys.devices, 'find', text],
      queryFn: ({ signal }) =>
        call(devicesApi.list, {
          query: {
            limit: FOUND_DEVICES,
            ...(text === '' ? { sort: '-lastSeenAt' } : IS_TAG.test(text) ? { tag: [text] } : { q: text }),
          },
          signal,
        }),
      placeholderData: keepPreviousData,
    }),
};
