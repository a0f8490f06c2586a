import { queryOptions } from '@tanstack/react-query';
import { serviceApi } from '#contract/service.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

export const connectionQueries = {
  /** Where devices reach the service. */
  get: () =>
    queryOptions({
      queryKey: queryKeys.connection,
      queryFn: ({ signal }) => call(serviceApi.connection, { signal }),
      staleTime: 60_000,
    }),
};
