import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { unroutedApi } from '#contract/unrouted.ts';
import { call } from '../../api/client.ts';
import { listsKey, queryKeys } from '../../api/query-keys.ts';
import { pagedList } from '../../api/paged-list.ts';

/** A row contains up to 4 KiB of text. */
const PAGE_TOPICS = 30;
/** Unrouted messages leave no event, so the list is polled while it is visible. */
const LIST_EVERY_MS = 5_000;
const COUNT_EVERY_MS = 10_000;

export const unroutedQueries = {
  /** Groups of topics, the newest first, so that rows keep their places while messages arrive. */
  list: (q: string) => ({
    ...pagedList(
      [...listsKey('unrouted'), q],
      ({ total: _, ...page }, signal) =>
        call(unroutedApi.list, {
          query: { sort: '-firstAt', grouped: true, ...(q !== '' && { q }), ...page },
          signal,
        }),
      PAGE_TOPICS,
    ),
    refetchInterval: LIST_EVERY_MS,
  }),
  /** The topic filters with the latest messages. */
  latest: () =>
    queryOptions({
      queryKey: [...queryKeys.unrouted, 'latest'],
      queryFn: async ({ signal }) =>
        (await call(unroutedApi.list, { query: { sort: '-lastAt', limit: PAGE_TOPICS }, signal })).data,
    }),
  /** The number of groups of topics. */
  count: () =>
    queryOptions({
      queryKey: [...queryKeys.unrouted, 'count'],
      queryFn: async ({ signal }) =>
        (await call(unroutedApi.list, { query: { limit: 1, total: true, grouped: true }, signal })).total ??
        0,
      refetchInterval: COUNT_EVERY_MS,
    }),
};

/** Deletes the record of one topic filter, or of all. */
export const useClearUnrouted = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (topicFilter: string | undefined) =>
      call(unroutedApi.clear, { query: topicFilter === undefined ? {} : { topicFilter } }),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.unrouted }),
  });
};
