import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { BodyOf } from '#contract/endpoint.ts';
import { messagesApi } from '#contract/messages.ts';
import type { PipelineChange } from '#contract/pipelines.ts';
import { recentMessagesApi } from '#contract/recent-messages.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

export const messageQueries = {
  /** The last message that a pipeline received since the service started; null if there is none. */
  last: (pipelineId: string) =>
    queryOptions({
      queryKey: [...queryKeys.lastMessage, pipelineId],
      queryFn: async ({ signal }) =>
        (await call(messagesApi.last, { params: { id: pipelineId }, signal })).data,
      gcTime: 0,
    }),
  /** The last message that a pipeline skipped since the service started; null if there is none. `skipped`: in its ledger. */
  lastSkipped: (pipelineId: string, skipped: number) =>
    queryOptions({
      queryKey: [...queryKeys.skippedMessage, pipelineId, skipped],
      queryFn: async ({ signal }) =>
        (await call(messagesApi.lastSkipped, { params: { id: pipelineId }, signal })).data,
      placeholderData: keepPreviousData,
      gcTime: 0,
    }),
  preview: (body: BodyOf<typeof messagesApi.preview>) =>
    queryOptions({
      queryKey: [...queryKeys.preview, body],
      queryFn: ({ signal }) => call(messagesApi.preview, { body, signal }),
      placeholderData: keepPreviousData,
      gcTime: 60_000,
    }),
  /** What a change of a pipeline does to recently accepted messages. */
  previewChange: (pipelineId: string, change: PipelineChange) =>
    queryOptions({
      queryKey: [...queryKeys.changePreview, pipelineId, change],
      queryFn: ({ signal }) =>
        call(recentMessagesApi.preview, { params: { id: pipelineId }, body: { change }, signal }),
      placeholderData: keepPreviousData,
      retry: false,
      staleTime: Infinity,
      gcTime: 0,
    }),
};
