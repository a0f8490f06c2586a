import {
  readTimeRange,
  timeRangeParams,
  type Range,
  type FixedRange,
} from '../../resources/telemetry/time-range.ts';
import { withParams } from '../../ui/browser/with-params.ts';
import type { LoaderFunctionArgs } from 'react-router-dom';
import { deviceQueries } from '../../resources/devices/device-queries.ts';
import { eventQueries } from '../../resources/events/event-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';

/** What a device's page shows of its telemetry, from the URL. */
export type DeviceView = {
  /** The zoomed range; null if the range ends now. */
  zoom: FixedRange | null;
  range: Range;
  isLive: boolean;
  /** The chosen metrics; null: the default. */
  metrics: readonly string[] | null;
};

export const readView = (params: URLSearchParams): DeviceView => {
  const { range, fixedRange } = readTimeRange(params);
  return {
    zoom: fixedRange,
    range,
    isLive: fixedRange === null && params.get('live') !== 'off',
    metrics: params.has('metric') ? params.getAll('metric').filter((metric) => metric !== '') : null,
  };
};

/** The URL of a view; defaults are left out. */
export const writeView = (params: URLSearchParams, view: DeviceView): URLSearchParams => {
  const next = withParams(params, {
    ...timeRangeParams(view.range, view.zoom),
    live: !view.isLive && view.zoom === null ? 'off' : '',
    metric: view.metrics ?? '',
  });
  // An empty parameter means no metrics; a missing one means the default.
  if (view.metrics?.length === 0) next.append('metric', '');
  return next;
};

/** The events on a device's page. */
export const DEVICE_EVENTS = 8;

export const deviceLoader = ({ params: { id = '' } }: LoaderFunctionArgs) => {
  void queryClient.prefetchQuery(deviceQueries.detail(id));
  void queryClient.prefetchQuery(telemetryQueries.metrics(id));
  void queryClient.prefetchQuery(eventQueries.latest(DEVICE_EVENTS, id));
  return null;
};
