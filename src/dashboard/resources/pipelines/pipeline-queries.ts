import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import type { QueryOf } from '#contract/endpoint.ts';
import { pipelinesApi, type NewPipeline, type PipelineChange } from '#contract/pipelines.ts';
import { call } from '../../api/client.ts';
import { pagedList, type ChangeOf, type FiltersOf } from '../../api/paged-list.ts';
import { detailKey, listsKey, queryKeys } from '../../api/query-keys.ts';

export type PipelineFilters = FiltersOf<QueryOf<typeof pipelinesApi.list>>;

export const pipelineQueries = {
  list: (filters: PipelineFilters = {}) =>
    pagedList([...listsKey('pipelines'), filters], (page, signal) =>
      call(pipelinesApi.list, { query: { ...filters, ...page }, signal }),
    ),
  search: (q: string, limit = 5) =>
    queryOptions({
      queryKey: [...queryKeys.pipelines, 'search', q, limit],
      queryFn: ({ signal }) => call(pipelinesApi.list, { query: { q, limit }, signal }),
      placeholderData: keepPreviousData,
    }),
  /** The pipelines that receive messages of devices and tools. */
  receivers: () =>
    queryOptions({
      queryKey: [...queryKeys.pipelines, 'receivers'],
      queryFn: ({ signal }) =>
        call(pipelinesApi.list, { query: { type: ['mqtt', 'http'], limit: 200 }, signal }),
    }),
  detail: (id: string) =>
    queryOptions({
      queryKey: detailKey('pipelines', id),
      queryFn: ({ signal }) => call(pipelinesApi.get, { params: { id }, signal }),
    }),
  types: () =>
    queryOptions({
      queryKey: queryKeys.pipelineTypes,
      queryFn: ({ signal }) => call(pipelinesApi.types, { signal }),
      // Types change only with the version of the service.
      staleTime: 10 * 60_000,
    }),
};

/** Refetches other queries that show the pipeline. */
export const invalidatePipelines = (client: QueryClient) =>
  Promise.all([
    client.invalidateQueries({ queryKey: listsKey('pipelines') }),
    client.invalidateQueries({ queryKey: pipelineQueries.receivers().queryKey }),
    client.invalidateQueries({ queryKey: queryKeys.overview }),
    client.invalidateQueries({ queryKey: queryKeys.latestEvents }),
  ]);

export const useCreatePipeline = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewPipeline) => call(pipelinesApi.create, { body }),
    onSuccess: (pipeline) => {
      client.setQueryData(pipelineQueries.detail(pipeline.id).queryKey, pipeline);
      void invalidatePipelines(client);
    },
  });
};

export const useChangePipeline = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, change, ifMatch }: ChangeOf<PipelineChange>) =>
      call(pipelinesApi.change, { params: { id }, body: change, ifMatch }),
    onSuccess: (pipeline) => {
      client.setQueryData(pipelineQueries.detail(pipeline.id).queryKey, pipeline);
      void invalidatePipelines(client);
    },
  });
};

export const useDeletePipeline = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, discard }: { id: string; discard: boolean }) =>
      call(pipelinesApi.remove, { params: { id }, query: { discard } }),
    // The page of the deleted pipeline may still be open: a refetch would only fail.
    onSuccess: () => void invalidatePipelines(client),
  });
};
