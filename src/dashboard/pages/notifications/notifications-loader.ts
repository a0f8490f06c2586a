import type { LoaderFunctionArgs } from 'react-router-dom';
import { queryClient } from '../../api/query-client.ts';
import { webhookQueries } from '../../resources/webhooks/webhook-queries.ts';
import { readFilters } from './webhook-filters.ts';

export const notificationsLoader = ({ request }: LoaderFunctionArgs) => {
  void queryClient.prefetchInfiniteQuery(webhookQueries.list(readFilters(new URL(request.url).searchParams)));
  return null;
};
