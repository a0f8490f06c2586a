import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { destinationsApi, type DestinationChange, type NewDestination } from '#contract/destinations.ts';
import type { QueryOf } from '#contract/endpoint.ts';
import { call } from '../../api/client.ts';
import { pagedList, readAll, type ChangeOf, type FiltersOf } from '../../api/paged-list.ts';
import { detailKey, listsKey, queryKeys } from '../../api/query-keys.ts';

export type DestinationFilters = FiltersOf<QueryOf<typeof destinationsApi.list>>;

/** The stream does not report the last delivery. */
const DELIVERED_EVERY_MS = 15_000;

export const destinationQueries = {
  list: (filters: DestinationFilters = {}) => ({
    ...pagedList([...listsKey('destinations'), filters], (page, signal) =>
      call(destinationsApi.list, { query: { ...filters, ...page }, signal }),
    ),
    refetchInterval: DELIVERED_EVERY_MS,
  }),
  detail: (id: string) =>
    queryOptions({
      queryKey: detailKey('destinations', id),
      queryFn: ({ signal }) => call(destinationsApi.get, { params: { id }, signal }),
      refetchInterval: DELIVERED_EVERY_MS,
    }),
  search: (q: string, limit = 5) =>
    queryOptions({
      queryKey: [...queryKeys.destinations, 'search', q, limit],
      queryFn: ({ signal }) => call(destinationsApi.list, { query: { q, limit }, signal }),
      placeholderData: keepPreviousData,
    }),
  /** All destinations by name, for pipelines to choose from. */
  choices: () =>
    queryOptions({
      queryKey: [...queryKeys.destinations, 'choices'],
      queryFn: ({ signal }) => readAll((page) => call(destinationsApi.list, { query: page, signal })),
    }),
  types: () =>
    queryOptions({
      queryKey: queryKeys.destinationTypes,
      queryFn: async ({ signal }) => (await call(destinationsApi.types, { signal })).data,
      // Types change only with the version of the service.
      staleTime: 10 * 60_000,
    }),
};

/** Pipelines change with their destinations: their name, their state and their spool. */
const invalidateDestinations = (client: QueryClient) => {
  void client.invalidateQueries({ queryKey: queryKeys.destinations });
  void client.invalidateQueries({ queryKey: queryKeys.pipelines });
};

/** Requests and responses may contain secrets, so they are not cached. */
export const useCreateDestination = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewDestination) => call(destinationsApi.create, { body }),
    gcTime: 0,
    onSuccess: () => invalidateDestinations(client),
  });
};

export const useChangeDestination = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, change, ifMatch }: ChangeOf<DestinationChange>) =>
      call(destinationsApi.change, { params: { id }, body: change, ifMatch }),
    gcTime: 0,
    onSuccess: (destination) => {
      client.setQueryData(destinationQueries.detail(destination.id).queryKey, destination);
      invalidateDestinations(client);
    },
  });
};

export const useDeleteDestination = () => {
  const client = useQueryClient();
  return useMutation({
    // Deletes regardless of changes since the read.
    mutationFn: (id: string) => call(destinationsApi.remove, { params: { id }, ifMatch: null }),
    // Not the destination itself, which is deleted.
    onSuccess: () => {
      for (const part of ['list', 'choices'])
        void client.invalidateQueries({ queryKey: [...queryKeys.destinations, part] });
    },
  });
};

/** Tests the connection. After a successful test, delivery resumes immediately. */
export const useTestDestination = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, signal }: { id: string; signal: AbortSignal }) =>
      call(destinationsApi.test, { params: { id }, signal }),
    onSuccess: () => void client.invalidateQueries({ queryKey: queryKeys.destinations }),
  });
};
