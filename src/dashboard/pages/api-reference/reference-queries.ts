import { queryOptions } from '@tanstack/react-query';
import { serviceApi } from '#contract/service.ts';
import { call } from '../../api/client.ts';
import { connectionQueries } from '../../resources/devices/connection-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { queryKeys } from '../../api/query-keys.ts';

export const referenceQueries = {
  /** The service's OpenAPI document. It changes only with the service's version. */
  document: () =>
    queryOptions({
      queryKey: queryKeys.openApi,
      queryFn: ({ signal }) => call(serviceApi.openapi, { signal }),
      staleTime: Infinity,
    }),
};

export const apiReferenceLoader = () => {
  void queryClient.prefetchQuery(referenceQueries.document());
  void queryClient.prefetchQuery(connectionQueries.get());
  return null;
};
