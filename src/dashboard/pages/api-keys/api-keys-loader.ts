import type { LoaderFunctionArgs } from 'react-router-dom';
import { apiKeyQueries } from '../../resources/access/api-key-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { readFilters } from './api-key-filters.ts';

export const apiKeysLoader = ({ request }: LoaderFunctionArgs) => {
  void queryClient.prefetchInfiniteQuery(apiKeyQueries.list(readFilters(new URL(request.url).searchParams)));
  return null;
};
