import { queryOptions } from '@tanstack/react-query';
import { overviewApi } from '#contract/overview.ts';
import { serviceApi } from '#contract/service.ts';
import { storageApi } from '#contract/storage.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

/** The service itself: its addresses, its disk and its counts. */
export const serviceQueries = {
  connection: () =>
    queryOptions({
      queryKey: queryKeys.connection,
      queryFn: ({ signal }) => call(serviceApi.connection, { signal }),
      staleTime: 60_000,
    }),
  /** The stream announces changes of the state; polling keeps the free space up to date. */
  storage: () =>
    queryOptions({
      queryKey: queryKeys.storage,
      queryFn: ({ signal }) => call(storageApi.get, { signal }),
      staleTime: 60_000,
      refetchInterval: ({ state: { data } }) =>
        data === undefined || data.state === 'writable' ? 60_000 : 5_000,
    }),
  overview: () =>
    queryOptions({
      queryKey: queryKeys.overview,
      queryFn: ({ signal }) => call(overviewApi.get, { signal }),
      // Rates and counts are not part of the stream.
      refetchInterval: 5_000,
      staleTime: 2_000,
    }),
};
