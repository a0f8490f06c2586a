import type { LoaderFunctionArgs } from 'react-router-dom';
import { deviceQueries } from '../../api/device-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { readFilters } from './device-filters.ts';

export const devicesLoader = ({ request }: LoaderFunctionArgs) => {
  void queryClient.prefetchInfiniteQuery(deviceQueries.list(readFilters(new URL(request.url).searchParams)));
  return null;
};
