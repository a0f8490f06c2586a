import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { QueryOf } from '#contract/endpoint.ts';
import { eventsApi } from '#contract/events.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

export type EventFilters = Omit<QueryOf<typeof eventsApi.list>, 'cursor' | 'limit' | 'total'>;

export const eventQueries = {
  /** All matching events, loaded on scroll. Not refetched with each event: the page adds new events itself. */
  list: (filters: EventFilters = {}) =>
    infiniteQueryOptions({
      queryKey: [...queryKeys.eventLog, filters],
      queryFn: ({ pageParam, signal }) =>
        call(eventsApi.list, {
          query: { ...filters, limit: 100, ...(pageParam !== null && { cursor: pageParam }) },
          signal,
        }),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.nextCursor,
      placeholderData: keepPreviousData,
    }),
  /** The newest few, of one subject or of all. */
  latest: (limit: number, subject?: string) =>
    queryOptions({
      queryKey: [...queryKeys.latestEvents, 'latest', limit, subject ?? null],
      queryFn: ({ signal }) =>
        call(eventsApi.list, { query: { limit, ...(subject !== undefined && { subject }) }, signal }),
    }),
};
