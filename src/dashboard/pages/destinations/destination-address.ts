import type { LoaderFunctionArgs } from 'react-router-dom';
import { destinationSorts } from '#contract/destinations.ts';
import { queryClient } from '../../api/query-client.ts';
import { listAddress } from '../../kit/resource/list-address.ts';
import { destinationQueries } from '../../resources/destinations/destination-queries.ts';

export const destinationAddress = listAddress(destinationSorts, 'name');

export const destinationsLoader = ({ request }: LoaderFunctionArgs) => {
  const filters = destinationAddress.readFilters(new URL(request.url).searchParams);
  void queryClient.prefetchInfiniteQuery(destinationQueries.list(filters));
  void queryClient.prefetchQuery(destinationQueries.types());
  return null;
};
