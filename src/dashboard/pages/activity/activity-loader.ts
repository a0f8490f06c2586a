import type { LoaderFunctionArgs } from 'react-router-dom';
import { eventQueries } from '../../resources/events/event-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { readFilters } from './activity-filters.ts';

export const activityLoader = ({ request }: LoaderFunctionArgs) => {
  void queryClient.prefetchInfiniteQuery(eventQueries.list(readFilters(new URL(request.url).searchParams)));
  return null;
};
