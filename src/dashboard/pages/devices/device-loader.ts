import type { LoaderFunctionArgs } from 'react-router-dom';
import { deviceQueries } from '../../api/device-queries.ts';
import { eventQueries } from '../../api/event-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { prefetchWhereAllowed } from '../../api/prefetch-where-allowed.ts';
import { telemetryQueries } from '../../api/telemetry-queries.ts';

/** The events on a device's page. */
export const DEVICE_EVENTS = 8;

export const deviceLoader = ({ params: { id = '' } }: LoaderFunctionArgs) => {
  void queryClient.prefetchQuery(deviceQueries.detail(id));
  void queryClient.prefetchQuery(telemetryQueries.metrics(id));
  void prefetchWhereAllowed('events:read', eventQueries.latest(DEVICE_EVENTS, id));
  return null;
};
