import type { FetchQueryOptions, QueryKey } from '@tanstack/react-query';
import type { Scope } from '#contract/scope.ts';
import { queryClient } from './query-client.ts';
import { sessionQueries } from './session-queries.ts';

/** Starts to read what only some sessions may; the page asks for it itself where this cannot tell. */
export const prefetchWhereAllowed = async <T, K extends QueryKey>(
  scope: Scope,
  options: FetchQueryOptions<T, Error, T, K>,
): Promise<void> => {
  await queryClient.prefetchQuery(sessionQueries.who());
  const who = queryClient.getQueryData(sessionQueries.who().queryKey);
  if (who?.scopes.includes(scope) === true) await queryClient.prefetchQuery(options);
};
