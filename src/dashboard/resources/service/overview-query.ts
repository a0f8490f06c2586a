import { queryOptions } from '@tanstack/react-query';
import { overviewApi } from '#contract/overview.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

/** What needs attention, and the counts of the service. Apart from the queries of every page, for their first load. */
export const overviewQuery = () =>
  queryOptions({
    queryKey: queryKeys.overview,
    queryFn: ({ signal }) => call(overviewApi.get, { signal }),
    // Rates and counts are not part of the stream.
    refetchInterval: 5_000,
    staleTime: 2_000,
  });
