import { queryOptions } from '@tanstack/react-query';
import { serviceApi } from '#contract/service.ts';
import { call } from '../../api/client.ts';

export const connectionQueries = {
  /** Where devices reach the service. */
  get: () =>
    queryOptions({
      queryKey: ['connection'],
      queryFn: ({ signal }) => call(serviceApi.connection, { signal }),
      staleTime: 60_000,
    }),
};
