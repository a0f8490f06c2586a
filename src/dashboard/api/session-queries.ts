import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Scope } from '#contract/scope.ts';
import { sessionsApi } from '#contract/sessions.ts';
import { call } from './client.ts';
import { queryKeys } from './query-keys.ts';
import { session, useSession } from './session.ts';

export const sessionQueries = {
  who: () =>
    queryOptions({
      queryKey: queryKeys.session,
      queryFn: async ({ signal }) => {
        const before = session.get();
        const who = await call(sessionsApi.get, { signal });
        if (before.status === 'active') session.recordScopes(before.stored.token, who.scopes);
        return who;
      },
      staleTime: 5 * 60_000,
    }),
};

/** The scopes of this session; undefined until they are known. */
const useScopes = (): readonly Scope[] | undefined => {
  const current = useSession();
  const { data } = useQuery(sessionQueries.who());
  return (current.status === 'active' ? current.stored.scopes : undefined) ?? data?.scopes;
};

/** Whether this session has a scope. True until its scopes are known: the service decides in the end. */
export const useHasScope = (scope: Scope): boolean => useScopes()?.includes(scope) ?? true;

/** As `useHasScope`, but false until the scopes are known: for requests that would be rejected without the scope. */
export const useHasKnownScope = (scope: Scope): boolean => {
  const scopes = useScopes();
  const { isError } = useQuery(sessionQueries.who());
  return scopes?.includes(scope) ?? isError;
};
