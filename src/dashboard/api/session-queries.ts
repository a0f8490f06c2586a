import { queryOptions, useQuery, type FetchQueryOptions, type QueryKey } from '@tanstack/react-query';
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

/** Whether this session has a scope. True until its scopes are loaded: the service decides in the end. */
export const useHasScope = (scope: Scope): boolean => {
  const { data } = useQuery(sessionQueries.who());
  return data === undefined || data.scopes.includes(scope);
};

/** As `useHasScope`, but false until the scopes are loaded: for requests that would be rejected without the scope. */
export const useHasKnownScope = (scope: Scope): boolean => {
  const { data, isError } = useQuery(sessionQueries.who());
  return data?.scopes.includes(scope) ?? isError;
};

/** Prefetches if the session has the scope. */
export const runWhereAllowed = async (scope: Scope, prefetch: () => Promise<void>): Promise<void> => {
  await queryClient.prefetchQuery(sessionQueries.who());
  const who = queryClient.getQueryData(sessionQueries.who().queryKey);
  if (who?.scopes.includes(scope) === true) await prefetch();
};

/** Prefetches a query if the session has the scope. */
export const prefetchWhereAllowed = <T, K extends QueryKey>(
  scope: Scope,
  options: FetchQueryOptions<T, Error, T, K>,
): Promise<void> => runWhereAllowed(scope, () => queryClient.prefetchQuery(options));
