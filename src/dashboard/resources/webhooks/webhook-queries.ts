import {
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

/** A digest is delivered up to a minute after its events, without an event of its own. */
const COLLECTING_MS = 5_000;
const whileCollecting = (webhooks: readonly Webhook[]) =>
  webhooks.some(({ digest, state, calls }) => digest && state === 'active' && calls.pending > 0)
    ? COLLECTING_MS
    : false;

export const webhookQueries = {
  list: (filters: WebhookFilters = {}) => ({
    ...pagedList([...listsKey('webhooks'), filters], (page, signal) =>
      call(webhooksApi.list, { query: { ...filters, ...page }, signal }),
    ),
    refetchInterval: ({ state }: { state: { data?: InfiniteData<Page<Webhook>> | undefined } }) =>
      whileCollecting(state.data?.pages.flatMap(({ data }) => data) ?? []),
  }),
  detail: (id: string) =>
    queryOptions({
      queryKey: detailKey('webhooks', id),
      queryFn: ({ signal }) => call(webhooksApi.get, { params: { id }, signal }),
      refetchInterval: ({ state }) => whileCollecting(state.data === undefined ? [] : [state.data]),
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

/** Sends one test delivery and returns its result. */
export const useTestWebhook = () =>
  useMutation({ mutationFn: (id: string) => call(webhooksApi.test, { params: { id } }) });
