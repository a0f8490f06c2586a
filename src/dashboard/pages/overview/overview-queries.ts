import { queryOptions } from '@tanstack/react-query';
import { overviewApi } from '#contract/overview.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

export const overviewQueries = {
  get: () =>
    queryOptions({
      queryKey: queryKeys.overview,
      queryFn: ({ signal }) => call(overviewApi.get, { signal }),
      // Rates and counts are not part of the stream.
      refetchInterval: 5_000,
      staleTime: 2_000,
    }),
};
