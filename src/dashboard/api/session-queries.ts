import {
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type FetchQueryOptions,
  type QueryKey,
} from '@tanstack/react-query';
import type { Scope } from '#contract/scope.ts';
import { sessionsApi } from '#contract/sessions.ts';
import { call } from './client.ts';
import { queryKeys } from './query-keys.ts';
import { queryClient } from './query-client.ts';

export const sessionQueries = {
  who: () =>
    queryOptions({
      queryKey: queryKeys.session,
      queryFn: ({ signal }) => call(sessionsApi.get, { signal }),
      staleTime: 5 * 60_000,
    }),
};

/** Whether this session may do something; true until it is known, since the service decides in the end. */
export const useHasScope = (scope: Scope): boolean => {
  const { data } = useQuery(sessionQueries.who());
  return data === undefined || data.scopes.includes(scope);
};

/** As `useHasScope`, false until it is known: for what is only worth asking where it will be answered. */
export const useHasKnownScope = (scope: Scope): boolean => {
  const { data, isError } = useQuery(sessionQueries.who());
  return data?.scopes.includes(scope) ?? isError;
};

/** Says who this is: the name that events show as the actor. */
export const useSetLabel = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (label: string) => call(sessionsApi.change, { body: { label } }),
    onSuccess: (who) => client.setQueryData(sessionQueries.who().queryKey, who),
  });
};

/** Starts to read what only some sessions may; the page asks for it itself where this cannot tell. */
export const prefetchWhereAllowed = async <T, K extends QueryKey>(
  scope: Scope,
  options: FetchQueryOptions<T, Error, T, K>,
): Promise<void> => {
  await queryClient.prefetchQuery(sessionQueries.who());
  const who = queryClient.getQueryData(sessionQueries.who().queryKey);
  if (who?.scopes.includes(scope) === true) await queryClient.prefetchQuery(options);
};
