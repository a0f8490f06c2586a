import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { apiKeysApi, type ApiKey, type NewApiKey } from '#contract/api-keys.ts';
import { keyActivityApi } from '#contract/key-activity.ts';
import type { QueryOf } from '#contract/endpoint.ts';
import { hasCode } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { pagedList, type FiltersOf } from '../../api/paged-list.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { detailKey, listsKey, queryKeys } from '../../api/query-keys.ts';

export type ApiKeyFilters = FiltersOf<QueryOf<typeof apiKeysApi.list>>;

/** The stream does not report the last use of keys. */
const USAGE_EVERY_MS = 15_000;
const ACTIVITY_EVERY_MS = 2_000;

export const apiKeyQueries = {
  list: (filters: ApiKeyFilters = {}) => ({
    ...pagedList([...listsKey('apiKeys'), filters], (page, signal) =>
      call(apiKeysApi.list, { query: { ...filters, ...page }, signal }),
    ),
    refetchInterval: USAGE_EVERY_MS,
  }),
  /** The first few that match a text, for pickers. */
  search: (q: string, limit = 8) =>
    queryOptions({
      queryKey: [...queryKeys.apiKeys, 'search', q, limit],
      queryFn: ({ signal }) => call(apiKeysApi.list, { query: { ...(q !== '' && { q }), limit }, signal }),
      placeholderData: keepPreviousData,
    }),
  /** The latest valid key with a name; null: none. */
  named: (name: string) =>
    queryOptions({
      queryKey: [...queryKeys.apiKeys, 'named', name],
      queryFn: async ({ signal }) => {
        const query = { q: name, revoked: false, sort: '-createdAt' as const };
        const { data } = await call(apiKeysApi.list, { query, signal });
        const isValid = ({ expiresAt }: ApiKey) => expiresAt === null || Date.parse(expiresAt) > nowMs();
        return data.find((key) => key.name === name && isValid(key)) ?? null;
      },
    }),
  detail: (id: string) =>
    queryOptions({
      queryKey: detailKey('apiKeys', id),
      queryFn: ({ signal }) => call(apiKeysApi.get, { params: { id }, signal }),
      refetchInterval: USAGE_EVERY_MS,
    }),
  /** A new key, read often until its first use. */
  firstUse: (id: string) =>
    queryOptions({
      ...apiKeyQueries.detail(id),
      refetchInterval: ({ state: { data } }) => (data?.lastUsedAt == null ? ACTIVITY_EVERY_MS : false),
    }),
  /**
   * The activity of a key. The first read starts the recording. Read in the background too, while the user configures
   * the device.
   */
  activity: (id: string) =>
    queryOptions({
      queryKey: [...queryKeys.keyActivity, id],
      queryFn: ({ signal }) => call(keyActivityApi.read, { params: { id }, signal }),
      refetchInterval: ACTIVITY_EVERY_MS,
      refetchIntervalInBackground: true,
      gcTime: 0,
    }),
};

/** Creates a key. The response contains the secret, so it is not cached. */
export const useCreateApiKey = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewApiKey) => call(apiKeysApi.create, { body }),
    gcTime: 0,
    onSuccess: () => void client.invalidateQueries({ queryKey: queryKeys.apiKeys }),
  });
};

export const useRenameApiKey = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, name, ifMatch }: { id: string; name: string; ifMatch?: string | null | undefined }) =>
      call(apiKeysApi.change, {
        params: { id },
        body: { name },
        ifMatch,
      }),
    onSuccess: (key) => {
      client.setQueryData(apiKeyQueries.detail(key.id).queryKey, key);
      void client.invalidateQueries({ queryKey: queryKeys.apiKeys });
    },
  });
};

/** Creates a new secret; the old one stays valid for the overlap. */
export const useRotateApiKey = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, overlapSeconds }: { id: string; overlapSeconds: number }) =>
      call(apiKeysApi.rotate, { params: { id }, body: { overlapSeconds } }),
    gcTime: 0,
    onSuccess: () => void client.invalidateQueries({ queryKey: queryKeys.apiKeys }),
  });
};

/** Revokes a key unless it was used, also while the page is being closed. Returns whether the key is revoked. */
export const revokeUnusedApiKey = async (id: string): Promise<boolean> => {
  try {
    await call(apiKeysApi.revoke, { params: { id }, query: { unused: true }, keepalive: true });
    return true;
  } catch (error) {
    if (hasCode(error, 'invalid-state')) return false;
    throw error;
  }
};

export const useRevokeApiKey = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call(apiKeysApi.revoke, { params: { id } }),
    onSuccess: () => void client.invalidateQueries({ queryKey: queryKeys.apiKeys }),
  });
};
