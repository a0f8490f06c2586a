import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import type { BodyOf, QueryOf } from '#contract/endpoint.ts';
import { messagesApi } from '#contract/messages.ts';
import { overwritesApi } from '#contract/overwrites.ts';
import { pipelinesApi, type NewPipeline, type PipelineChange } from '#contract/pipelines.ts';
import { throughputApi } from '#contract/throughput.ts';
import { call } from '../../api/client.ts';
import { pagedList, type ChangeOf, type FiltersOf } from '../../api/paged-list.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { detailKey, listsKey, queryKeys } from '../../api/query-keys.ts';

export type PipelineFilters = FiltersOf<QueryOf<typeof pipelinesApi.list>>;

const MINUTE_MS = 60_000;
const AFTER_MINUTE_MS = 1_000;

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
  detail: (id: string) =>
    queryOptions({
      queryKey: detailKey('pipelines', id),
      queryFn: ({ signal }) => call(pipelinesApi.get, { params: { id }, signal }),
    }),
  /** The key contains the count, so a higher count refetches the list. */
  overwrites: (id: string, overwritten: number) =>
    queryOptions({
      queryKey: [...queryKeys.overwrites, id, overwritten],
      queryFn: async ({ signal }) => (await call(overwritesApi.list, { params: { id }, signal })).data,
      placeholderData: keepPreviousData,
      gcTime: 0,
    }),
  /** Refetched right after each minute, when the service has stored it. */
  throughput: (id: string) =>
    queryOptions({
      queryKey: [...queryKeys.throughput, id],
      queryFn: ({ signal }) => call(throughputApi.get, { params: { id }, signal }),
      refetchInterval: () => MINUTE_MS - (nowMs() % MINUTE_MS) + AFTER_MINUTE_MS,
    }),
  types: () =>
    queryOptions({
      queryKey: queryKeys.pipelineTypes,
      queryFn: ({ signal }) => call(pipelinesApi.types, { signal }),
      // Types change only with the version of the service.
      staleTime: 10 * 60_000,
    }),
  preview: (body: BodyOf<typeof messagesApi.preview>) =>
    queryOptions({
      queryKey: [...queryKeys.preview, body],
      queryFn: ({ signal }) => call(messagesApi.preview, { body, signal }),
      placeholderData: keepPreviousData,
      gcTime: 60_000,
    }),
};

/** Refetches other queries that show the pipeline. */
export const changedPipeline = (client: QueryClient) =>
  Promise.all([
    client.invalidateQueries({ queryKey: listsKey('pipelines') }),
    client.invalidateQueries({ queryKey: queryKeys.overview }),
    client.invalidateQueries({ queryKey: queryKeys.latestEvents }),
  ]);

export const useCreatePipeline = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewPipeline) => call(pipelinesApi.create, { body }),
    onSuccess: (pipeline) => {
      client.setQueryData(pipelineQueries.detail(pipeline.id).queryKey, pipeline);
      void changedPipeline(client);
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
      void changedPipeline(client);
    },
  });
};

/** Tests an unsaved pipeline. The request may contain secrets, so it is not cached. */
export const useTestPipeline = () =>
  useMutation({
    mutationFn: ({ body, id, signal }: { body: NewPipeline; id: string | undefined; signal: AbortSignal }) =>
      call(pipelinesApi.test, { body, query: { pipeline: id }, signal }),
    gcTime: 0,
  });

export const useDeletePipeline = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, discard }: { id: string; discard: boolean }) =>
      call(pipelinesApi.remove, { params: { id }, query: { discard } }),
    // The page of the deleted pipeline may still be open: a refetch would only fail.
    onSuccess: () => void changedPipeline(client),
  });
};
