import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Across, RankRule } from '#contract/across.ts';
import type { DeviceFilter } from '#contract/device-filter.ts';
import { devicesByExternalIdApi } from '#contract/devices-by-external-id.ts';
import { devicesApi, type Device } from '#contract/devices.ts';
import { isId } from '#contract/id.ts';
import { metricsApi } from '#contract/metrics.ts';
import {
  defaultAggregates,
  telemetryApi,
  type Aggregate,
  type TelemetryAnswer,
} from '#contract/telemetry.ts';
import { hasCode } from '../../api/api-error.ts';
import { call, callWithEtag } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

export type DeviceMetric = { deviceId: string; metric: string };

/** Ends of a range as in the URL: relative (`-24h`, `now`), RFC 3339 or epoch ms. */
export type SeriesRequest = {
  devices: readonly string[];
  /** Devices that match are selected as well. */
  filter?: DeviceFilter | undefined;
  metrics: readonly string[];
  from: string;
  to: string;
  /** As many buckets as the chart has pixels. */
  points: number;
  /** Of each bucket. Default: what a chart of numbers and states draws. */
  agg?: readonly Aggregate[];
  /** Combines the devices, or ranks them. */
  reduction?: { across: Across } | { top: number; by: RankRule } | undefined;
};

/** How each response or error was loaded: whether devices are combined or ranked, and how long it took. */
const loadsByResult = new WeakMap<
  TelemetryAnswer | Error,
  { reduction: SeriesRequest['reduction']; ms: number }
>();

export const reductionIn = (answer: TelemetryAnswer | undefined): SeriesRequest['reduction'] =>
  answer && loadsByResult.get(answer)?.reduction;

const MIN_REFETCH_MS = 5_000;
/** A query of many devices is repeated less often: it takes at most this share of the time. */
const LOADING_SHARE = 0.05;
/** Even after a slow query, a live range is read again within this time. */
const MAX_LOADING_WAIT_MS = 60_000;

type LastLoad = { data: TelemetryAnswer | undefined; error: Error | null };

/**
 * How long to wait before buckets are read again: increases, rates and combined devices do not follow live samples. A
 * slow query or error prolongs the wait.
 */
export const refetchMs = (windowMs: number, points: number, { data, error }: LastLoad): number => {
  const last = error ?? data;
  const loadMs = last === undefined ? 0 : (loadsByResult.get(last)?.ms ?? 0);
  const loadingWaitMs = Math.min(MAX_LOADING_WAIT_MS, loadMs / LOADING_SHARE);
  return Math.max(MIN_REFETCH_MS, windowMs / Math.max(1, points), loadingWaitMs);
};

export const selectsDevices = ({ devices, filter }: Pick<SeriesRequest, 'devices' | 'filter'>): boolean =>
  devices.length > 0 || filter !== undefined;

/** The body of a query. */
export const queryBody = ({
  devices,
  filter,
  metrics,
  from,
  to,
  points,
  agg = DRAWN,
  reduction,
}: SeriesRequest) => ({
  ...(devices.length > 0 && { devices: [...devices] }),
  ...(filter !== undefined && { filter }),
  metrics: [...metrics],
  from,
  to,
  points,
  agg: [...agg],
  ...reduction,
});

/** What charts of numbers and states draw of a bucket. */
export const DRAWN: readonly Aggregate[] = [...defaultAggregates, 'last'];
/** The first samples as well: counters follow from the first and last ones, and statistics are exact. */
export const CHARTED: readonly Aggregate[] = [...DRAWN, 'first'];

/** The most devices that a list names, and so the most that a chart draws one line each for. */
export const MAX_NAMED_DEVICES = 200;
const FOUND_DEVICES = 20;
const IS_TAG = /^[A-Za-z0-9._-]{1,64}:./;

type NamedDevice = Pick<Device, 'id' | 'name' | 'externalId'>;

/** The ID of a device, from its latest values; null if the device does not exist or has none. */
const deviceOfLatest = async (externalId: string, signal: AbortSignal): Promise<NamedDevice | null> => {
  try {
    const { data } = await call(telemetryApi.latest, { query: { device: [externalId] }, signal });
    const [latest] = data;
    return latest === undefined ? null : { id: latest.device, name: externalId, externalId };
  } catch (error) {
    if (hasCode(error, 'not-found')) return null;
    throw error;
  }
};

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
  series: (request: SeriesRequest) =>
    queryOptions({
      queryKey: [...queryKeys.telemetry, 'series', queryBody(request)],
      queryFn: async ({ signal }) => {
        const startedMs = performance.now();
        const record = (result: TelemetryAnswer | Error) =>
          loadsByResult.set(result, { reduction: request.reduction, ms: performance.now() - startedMs });
        try {
          const answer = await call(telemetryApi.query, { body: queryBody(request), signal });
          record(answer);
          return answer;
        } catch (error) {
          if (error instanceof Error) record(error);
          throw error;
        }
      },
      placeholderData: keepPreviousData,
      // Comparing thousands of numbers costs more than redrawing them.
      structuralSharing: false,
      enabled: selectsDevices(request) && request.metrics.length > 0,
    }),
  /**
   * The device of a link, by ID or external ID; null if it does not exist. Not an error, since a retry would not help.
   * A session without `devices:read` gets the ID, since the series can be read.
   */
  namedDevice: (idOrExternalId: string) =>
    queryOptions({
      queryKey: [...queryKeys.devices, 'named', idOrExternalId],
      queryFn: async ({ signal }): Promise<NamedDevice | null> => {
        const isExternal = !isId('dev', idOrExternalId);
        try {
          return await (isExternal
            ? call(devicesByExternalIdApi.getByExternalId, { params: { externalId: idOrExternalId }, signal })
            : call(devicesApi.get, { params: { id: idOrExternalId }, signal }));
        } catch (error) {
          if (hasCode(error, 'not-found')) return null;
          if (!hasCode(error, 'insufficient-scope')) throw error;
          return isExternal
            ? deviceOfLatest(idOrExternalId, signal)
            : { id: idOrExternalId, name: idOrExternalId, externalId: idOrExternalId };
        }
      },
    }),
  /** The devices that match a filter: the first 200 by name, and their number. */
  matchingDevices: (filter: DeviceFilter | undefined) =>
    queryOptions({
      queryKey: [...queryKeys.devices, 'matching', filter],
      queryFn: ({ signal }) =>
        call(devicesApi.list, { query: { ...filter, limit: MAX_NAMED_DEVICES, total: true }, signal }),
      enabled: filter !== undefined,
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
