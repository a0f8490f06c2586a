import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { rejectionsApi, type ReplayPreviewRequest, type ReplayRequest } from '#contract/rejections.ts';
import { call } from '../../api/client.ts';
import { invalidatePipelines, pipelineQueries } from './pipeline-queries.ts';
import { queryKeys } from '../../api/query-keys.ts';

/** A rejection contains up to 64 KiB of text. */
const PAGE_REJECTIONS = 20;

export type RejectionFilter = { reason: string | null; device: string | null };

export const rejectionQueries = {
  /** The rejections of a pipeline. A key of its own: changes of the pipeline must not refetch them. */
  all: (id: string) => [...queryKeys.rejections, id] as const,
  list: (id: string, { reason, device }: RejectionFilter) =>
    infiniteQueryOptions({
      queryKey: [...rejectionQueries.all(id), 'list', reason, device],
      queryFn: async ({ pageParam, signal }) => {
        const answer = await call(rejectionsApi.list, {
          params: { id },
          query: {
            limit: PAGE_REJECTIONS,
            ...(reason !== null && { reason }),
            ...(device !== null && { device }),
            ...(pageParam !== null && { cursor: pageParam }),
          },
          signal,
        });
        return 'nextCursor' in answer ? answer : { data: [], nextCursor: null };
      },
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.nextCursor,
      // Read whenever a page with it opens. While it is open, newer rejections are only counted.
      staleTime: 0,
      refetchOnWindowFocus: false,
    }),
  groups: (id: string, groupBy: 'reason' | 'device' = 'reason') =>
    queryOptions({
      queryKey: [...rejectionQueries.all(id), 'groups', groupBy],
      queryFn: async ({ signal }) => {
        const answer = await call(rejectionsApi.list, { params: { id }, query: { groupBy }, signal });
        return 'nextCursor' in answer ? [] : answer.data;
      },
    }),
  /** The newest stored rejection; null if there is none. */
  last: (id: string) =>
    queryOptions({
      queryKey: [...rejectionQueries.all(id), 'last'],
      queryFn: async ({ signal }) => {
        const answer = await call(rejectionsApi.list, { params: { id }, query: { limit: 1 }, signal });
        return 'nextCursor' in answer ? (answer.data[0] ?? null) : null;
      },
    }),
  /**
   * Previews a replay, some messages per request, of the rejections that exist at the start. A key of its own: new
   * rejections must not restart the preview.
   */
  previewReplay: (id: string, request: Omit<ReplayPreviewRequest, 'cursor'>) =>
    infiniteQueryOptions({
      queryKey: [...queryKeys.replayPreview, id, request],
      queryFn: ({ pageParam, signal }) =>
        call(rejectionsApi.previewReplay, {
          params: { id },
          body: { ...request, ...(pageParam !== null && { cursor: pageParam }) },
          signal,
        }),
      initialPageParam: null as string | null,
      getNextPageParam: (page, pages) => {
        const tried = pages.reduce((sum, { messages }) => sum + messages, 0);
        return tried < (pages[0]?.total ?? 0) ? page.nextCursor : null;
      },
      staleTime: Infinity,
      gcTime: 0,
    }),
};

/** Deletes the stored messages of a pipeline's rejections; the ledger keeps their count. */
export const useDiscardRejections = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call(rejectionsApi.discard, { params: { id } }),
    onSuccess: (_, id) => client.invalidateQueries({ queryKey: rejectionQueries.all(id) }),
  });
};

/** Replays rejected messages. After a failure, some of them may be delivered. */
export const useReplayRejections = (id: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, signal }: { body: ReplayRequest; signal: AbortSignal }) =>
      call(rejectionsApi.replay, { params: { id }, body, signal }),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: rejectionQueries.all(id) }),
        client.invalidateQueries({ queryKey: pipelineQueries.detail(id).queryKey }),
        invalidatePipelines(client),
      ]),
  });
};
