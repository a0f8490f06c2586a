import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query';
import type { QueryOf } from '#contract/endpoint.ts';
import type { Page } from '#contract/paging.ts';
import { webhooksApi, type NewWebhook, type Webhook, type WebhookChange } from '#contract/webhooks.ts';
import { call } from '../../api/client.ts';
import { pagedList, type ChangeOf, type FiltersOf } from '../../api/paged-list.ts';
import { detailKey, listsKey, queryKeys } from '../../api/query-keys.ts';

export type WebhookFilters = FiltersOf<QueryOf<typeof webhooksApi.list>>;

/** Digests and retries are sent later than their events, without an event of their own. */
const PENDING_MS = 5_000;
const whilePending = (webhooks: readonly Webhook[]) =>
  webhooks.some(
    ({ digest, state, calls }) => (digest || state === 'retrying') && state !== 'paused' && calls.pending > 0,
  )
    ? PENDING_MS
    : false;

export const webhookQueries = {
  list: (filters: WebhookFilters = {}) => ({
    ...pagedList([...listsKey('webhooks'), filters], (page, signal) =>
      call(webhooksApi.list, { query: { ...filters, ...page }, signal }),
    ),
    refetchInterval: ({ state }: { state: { data?: InfiniteData<Page<Webhook>> | undefined } }) =>
      whilePending(state.data?.pages.flatMap(({ data }) => data) ?? []),
  }),
  search: (q: string, limit = 5) =>
    queryOptions({
      queryKey: [...queryKeys.webhooks, 'search', q, limit],
      queryFn: ({ signal }) => call(webhooksApi.list, { query: { q, limit }, signal }),
      placeholderData: keepPreviousData,
    }),
  detail: (id: string) =>
    queryOptions({
      queryKey: detailKey('webhooks', id),
      queryFn: ({ signal }) => call(webhooksApi.get, { params: { id }, signal }),
      refetchInterval: ({ state }) => whilePending(state.data === undefined ? [] : [state.data]),
    }),
};

const invalidateWebhooks = (client: QueryClient) =>
  client.invalidateQueries({ queryKey: queryKeys.webhooks });

/** The response contains the signing secret, so it is not cached. */
export const useCreateWebhook = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewWebhook) => call(webhooksApi.create, { body }),
    gcTime: 0,
    onSuccess: () => void invalidateWebhooks(client),
  });
};

export const useChangeWebhook = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, change, ifMatch }: ChangeOf<WebhookChange>) =>
      call(webhooksApi.change, {
        params: { id },
        body: change,
        ifMatch,
      }),
    onSuccess: (webhook: Webhook) => {
      client.setQueryData(webhookQueries.detail(webhook.id).queryKey, webhook);
      void invalidateWebhooks(client);
    },
  });
};

/** Creates a new secret; during the overlap requests are signed with both. */
export const useRotateWebhook = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, overlapSeconds }: { id: string; overlapSeconds: number }) =>
      call(webhooksApi.rotate, { params: { id }, body: { overlapSeconds } }),
    gcTime: 0,
    onSuccess: () => void invalidateWebhooks(client),
  });
};

export const useDeleteWebhook = () => {
  const client = useQueryClient();
  return useMutation({
    // Deletes regardless of changes since the read.
    mutationFn: (id: string) => call(webhooksApi.remove, { params: { id }, ifMatch: null }),
    // Not the webhook itself, which is deleted.
    onSuccess: () => void client.invalidateQueries({ queryKey: listsKey('webhooks') }),
  });
};

/**
 * Sends one test delivery and returns its result. If it succeeds, pending deliveries are retried, unless the webhook is
 * paused.
 */
export const useTestWebhook = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call(webhooksApi.test, { params: { id } }),
    onSuccess: ({ ok }) => void (ok && invalidateWebhooks(client)),
  });
};

/** Retries the pending deliveries of a webhook now. */
export const useRetryWebhook = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call(webhooksApi.retry, { params: { id } }),
    onSuccess: () => invalidateWebhooks(client),
  });
};
