import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import type { BodyOf, QueryOf } from '#contract/endpoint.ts';
import {
  messagesApi,
  pipelinesApi,
  type NewPipeline,
  type PipelineChange,
  type ReplayRequest,
} from '#contract/pipelines.ts';
import { call } from './client.ts';
import { pagedList, type ChangeOf, type FiltersOf } from './paged-list.ts';

export type PipelineFilters = FiltersOf<QueryOf<typeof pipelinesApi.list>>;

/** Each holds up to 64 KiB of text. */
const PAGE_REJECTIONS = 20;

export const pipelineQueries = {
  list: (filters: PipelineFilters = {}) =>
    pagedList(['pipelines', 'list', filters], (page, signal) =>
      call(pipelinesApi.list, { query: { ...filters, ...page }, signal }),
    ),
  detail: (id: string) =>
    queryOptions({
      queryKey: ['pipelines', 'detail', id],
      queryFn: ({ signal }) => call(pipelinesApi.get, { params: { id }, signal }),
    }),
  types: () =>
    queryOptions({
      queryKey: ['pipeline-types'],
      queryFn: ({ signal }) => call(pipelinesApi.types, { signal }),
      // They change with the version of the service only.
      staleTime: 10 * 60_000,
    }),
  /** Everything about the rejections of a pipeline. Apart from it: what changes about it must not move what is read here. */
  allRejections: (id: string) => ['rejections', id] as const,
  rejections: (id: string, reason: string | null) =>
    infiniteQueryOptions({
      queryKey: [...pipelineQueries.allRejections(id), 'list', reason],
      queryFn: async ({ pageParam, signal }) => {
        const answer = await call(messagesApi.rejections, {
          params: { id },
          query: {
            limit: PAGE_REJECTIONS,
            ...(reason !== null && { reason }),
            ...(pageParam !== null && { cursor: pageParam }),
          },
          signal,
        });
        return 'nextCursor' in answer ? answer : { data: [], nextCursor: null };
      },
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.nextCursor,
    }),
  rejectionGroups: (id: string) =>
    queryOptions({
      queryKey: [...pipelineQueries.allRejections(id), 'groups'],
      queryFn: async ({ signal }) => {
        const answer = await call(messagesApi.rejections, {
          params: { id },
          query: { groupBy: 'reason' },
          signal,
        });
        return 'nextCursor' in answer ? [] : answer.data;
      },
    }),
  /** The newest rejection; null where none is kept. */
  lastRejection: (id: string) =>
    queryOptions({
      queryKey: [...pipelineQueries.allRejections(id), 'last'],
      queryFn: async ({ signal }) => {
        const answer = await call(messagesApi.rejections, { params: { id }, query: { limit: 1 }, signal });
        return 'nextCursor' in answer ? (answer.data[0] ?? null) : null;
      },
    }),
  preview: (body: BodyOf<typeof messagesApi.preview>) =>
    queryOptions({
      queryKey: ['preview', body],
      queryFn: ({ signal }) => call(messagesApi.preview, { body, signal }),
      placeholderData: keepPreviousData,
      gcTime: 60_000,
    }),
};

const changed = (client: QueryClient) =>
  Promise.all([
    client.invalidateQueries({ queryKey: ['pipelines', 'list'] }),
    client.invalidateQueries({ queryKey: ['overview'] }),
    client.invalidateQueries({ queryKey: ['events'] }),
  ]);

export const useCreatePipeline = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewPipeline) => call(pipelinesApi.create, { body }),
    onSuccess: (pipeline) => {
      client.setQueryData(pipelineQueries.detail(pipeline.id).queryKey, pipeline);
      void changed(client);
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
      void changed(client);
    },
  });
};

/** Tries one that is not saved. What is sent holds secrets as they were typed: it is kept out of the cache of mutations. */
export const useTestPipeline = () =>
  useMutation({
    mutationFn: ({ body, signal }: { body: NewPipeline; signal: AbortSignal }) =>
      call(pipelinesApi.test, { body, signal }),
    gcTime: 0,
  });

export const useDeletePipeline = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, discard }: { id: string; discard: boolean }) =>
      call(pipelinesApi.remove, { params: { id }, query: { discard } }),
    // The page of the deleted pipeline may still be open: reading it again would only find that it is gone.
    onSuccess: () => void changed(client),
  });
};

/** Takes the texts of a pipeline's rejections away; they stay counted. */
export const useDiscardRejections = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call(messagesApi.discard, { params: { id } }),
    onSuccess: (_, id) => client.invalidateQueries({ queryKey: pipelineQueries.allRejections(id) }),
  });
};

/** Takes messages of rejections again. Also where that failed half-way, some of them are delivered. */
export const useReplayRejections = (id: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ReplayRequest) => call(messagesApi.replay, { params: { id }, body }),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: pipelineQueries.allRejections(id) }),
        client.invalidateQueries({ queryKey: pipelineQueries.detail(id).queryKey }),
        changed(client),
      ]),
  });
};
