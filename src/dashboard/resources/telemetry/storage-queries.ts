import { queryOptions } from '@tanstack/react-query';
import { storageApi } from '#contract/storage.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

export const storageQueries = {
  /** The stream announces changes of the state; polling keeps the free space up to date. */
  get: () =>
    queryOptions({
      queryKey: queryKeys.storage,
      queryFn: ({ signal }) => call(storageApi.get, { signal }),
      staleTime: 60_000,
      refetchInterval: ({ state: { data } }) =>
        data === undefined || data.state === 'writable' ? 60_000 : 5_000,
    }),
};
