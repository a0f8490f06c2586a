import type { LoaderFunctionArgs } from 'react-router-dom';
import { deviceQueries } from '../../resources/devices/device-queries.ts';
import { eventQueries } from '../../resources/events/event-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { prefetchWhereAllowed } from '../../api/prefetch-where-allowed.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';

/** The events on a device's page. */
export const DEVICE_EVENTS = 8;

export const deviceLoader = ({ params: { id = '' } }: LoaderFunctionArgs) => {
  void queryClient.prefetchQuery(deviceQueries.detail(id));
  void queryClient.prefetchQuery(telemetryQueries.metrics(id));
  void prefetchWhereAllowed('events:read', eventQueries.latest(DEVICE_EVENTS, id));
  return null;
};
