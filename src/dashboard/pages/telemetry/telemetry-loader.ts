import type { LoaderFunctionArgs } from 'react-router-dom';
import { queryClient } from '../../api/query-client.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import { readView } from './telemetry-view.ts';

/** Starts what the page reads first, without waiting. */
export const telemetryLoader = ({ request }: LoaderFunctionArgs) => {
  const { devices, tags } = readView(new URL(request.url).searchParams);
  void queryClient.prefetchQuery(telemetryQueries.findDevices(''));
  if (tags.length > 0) void queryClient.prefetchQuery(telemetryQueries.taggedDevices(tags));
  for (const id of devices) {
    void queryClient.prefetchQuery(telemetryQueries.namedDevice(id));
    void queryClient.prefetchQuery(telemetryQueries.metrics(id));
  }
  return null;
};
