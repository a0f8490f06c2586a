import {
  readTimeRange,
  timeRangeParams,
  type Range,
  type Stretch,
} from '../../resources/telemetry/time-range.ts';
import { withParams } from '../../ui/browser/with-params.ts';
import type { LoaderFunctionArgs } from 'react-router-dom';
import { deviceQueries } from '../../resources/devices/device-queries.ts';
import { eventQueries } from '../../resources/events/event-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { prefetchWhereAllowed } from '../../api/session-queries.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';

/** What a device's page shows of its telemetry, as the address holds it. */
export type DeviceView = {
  /** A stretch that was zoomed into; null where the range ends now. */
  zoom: Stretch | null;
  range: Range;
  isLive: boolean;
  /** Chosen metrics; null where nobody chose yet. */
  metrics: readonly string[] | null;
};

export const readView = (params: URLSearchParams): DeviceView => {
  const { range, stretch } = readTimeRange(params);
  return {
    zoom: stretch,
    range,
    isLive: stretch === null && params.get('live') !== 'off',
    metrics: params.has('metric') ? params.getAll('metric').filter((metric) => metric !== '') : null,
  };
};

/** The address for another view; what is the default is left out. */
export const writeView = (params: URLSearchParams, view: DeviceView): URLSearchParams => {
  const next = withParams(params, {
    ...timeRangeParams(view.range, view.zoom),
    live: !view.isLive && view.zoom === null ? 'off' : '',
    metric: view.metrics ?? '',
  });
  // A choice of none is kept as an empty one, apart from no choice.
  if (view.metrics?.length === 0) next.append('metric', '');
  return next;
};

/** The events on a device's page. */
export const DEVICE_EVENTS = 8;

export const deviceLoader = ({ params: { id = '' } }: LoaderFunctionArgs) => {
  void queryClient.prefetchQuery(deviceQueries.detail(id));
  void queryClient.prefetchQuery(telemetryQueries.metrics(id));
  void prefetchWhereAllowed('events:read', eventQueries.latest(DEVICE_EVENTS, id));
  return null;
};
