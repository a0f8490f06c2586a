import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { QueryOf } from '#contract/endpoint.ts';
import { pipelinesApi } from '#contract/pipelines.ts';
import { call } from './client.ts';

export type PipelineFilters = Omit<QueryOf<typeof pipelinesApi.list>, 'cursor' | 'limit' | 'total'>;

export const pipelineQueries = {
  list: (filters: PipelineFilters = {}) =>
    infiniteQueryOptions({
      queryKey: ['pipelines', 'list', filters],
      queryFn: ({ pageParam, signal }) =>
        call(pipelinesApi.list, {
          query: { ...filters, limit: 100, ...(pageParam !== null && { cursor: pageParam }) },
          signal,
        }),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.nextCursor,
      placeholderData: keepPreviousData,
    }),
  detail: (id: string) =>
    queryOptions({
      queryKey: ['pipelines', 'detail', id],
      queryFn: ({ signal }) => call(pipelinesApi.get, { params: { id }, signal }),
    }),
};
