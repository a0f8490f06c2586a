import { queryOptions } from '@tanstack/react-query';
import { serviceApi } from '#contract/service.ts';
import { storageApi } from '#contract/storage.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

/** The service itself: its addresses and its disk. */
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
};
