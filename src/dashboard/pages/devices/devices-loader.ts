import type { LoaderFunctionArgs } from 'react-router-dom';
import { deviceQueries } from '../../resources/devices/device-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { readFilters } from '../../resources/devices/device-filters.ts';

export const devicesLoader = ({ request }: LoaderFunctionArgs) => {
  void queryClient.prefetchInfiniteQuery(deviceQueries.list(readFilters(new URL(request.url).searchParams)));
  return null;
};
