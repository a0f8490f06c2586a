import type { LoaderFunctionArgs } from 'react-router-dom';
import { queryClient } from '../../api/query-client.ts';
import { listAddress } from '../../kit/resource/list-address.ts';
import { webhookQueries } from '../../resources/webhooks/webhook-queries.ts';

export const webhookAddress = listAddress(['name', 'createdAt'], 'name');

export const notificationsLoader = ({ request }: LoaderFunctionArgs) => {
  const filters = webhookAddress.readFilters(new URL(request.url).searchParams);
  void queryClient.prefetchInfiniteQuery(webhookQueries.list(filters));
  return null;
};
