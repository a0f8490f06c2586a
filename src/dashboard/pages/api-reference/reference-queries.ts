import { queryOptions } from '@tanstack/react-query';
import { serviceApi } from '#contract/service.ts';
import { call } from '../../api/client.ts';

export const referenceQueries = {
  /** The service's own OpenAPI document: it changes only where the service does. */
  document: () =>
    queryOptions({
      queryKey: ['openapi'],
      queryFn: ({ signal }) => call(serviceApi.openapi, { signal }),
      staleTime: Infinity,
    }),
};
