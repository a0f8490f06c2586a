import type { LoaderFunctionArgs } from 'react-router-dom';
import { queryClient } from '../../api/query-client.ts';
import { listAddress } from '../../kit/resource/list-address.ts';
import { apiKeyQueries } from '../../resources/access/api-key-queries.ts';

export const showsRevoked = (params: URLSearchParams): boolean => params.get('revoked') === 'shown';

export const apiKeyAddress = listAddress(
  ['name', 'createdAt', 'expiresAt', 'lastUsedAt'],
  '-createdAt',
  (params) => (showsRevoked(params) ? {} : { revoked: false }),
);

export const apiKeysLoader = ({ request }: LoaderFunctionArgs) => {
  const filters = apiKeyAddress.readFilters(new URL(request.url).searchParams);
  void queryClient.prefetchInfiniteQuery(apiKeyQueries.list(filters));
  return null;
};
