import { queryOptions } from '@tanstack/react-query';
import { overviewApi } from '#contract/overview.ts';
import { call } from '../../api/client.ts';

export const overviewQueries = {
  get: () =>
    queryOptions({
      queryKey: ['overview'],
      queryFn: ({ signal }) => call(overviewApi.get, { signal }),
      // Rates and counts are not part of the stream.
      refetchInterval: 5_000,
      staleTime: 2_000,
    }),
};
