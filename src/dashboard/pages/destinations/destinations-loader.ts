import type { LoaderFunctionArgs } from 'react-router-dom';
import { destinationQueries } from '../../resources/destinations/destination-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { readFilters } from './destination-filters.ts';

export const destinationsLoader = ({ request }: LoaderFunctionArgs) => {
  const { searchParams } = new URL(request.url);
  void queryClient.prefetchInfiniteQuery(destinationQueries.list(readFilters(searchParams)));
  void queryClient.prefetchQuery(destinationQueries.types());
  return null;
};
