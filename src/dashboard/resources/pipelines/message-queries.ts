import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { BodyOf } from '#contract/endpoint.ts';
import { messagesApi } from '#contract/messages.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

export const messageQueries = {
  preview: (body: BodyOf<typeof messagesApi.preview>) =>
    queryOptions({
      queryKey: [...queryKeys.preview, body],
      queryFn: ({ signal }) => call(messagesApi.preview, { body, signal }),
      placeholderData: keepPreviousData,
      gcTime: 60_000,
    }),
};
