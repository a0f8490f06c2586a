import { useQuery } from '@tanstack/react-query';
import type { Scope } from '#contract/scope.ts';
import { sessionQueries } from '../api/session-queries.ts';
import { navigation, type Destination } from './navigation.ts';

/** Those of some pages that this session may read; all of them until that is known, so that nothing appears late. */
export const useReachable = <D extends { scope: Scope | null }>(all: readonly D[]): readonly D[] => {
  const { data } = useQuery(sessionQueries.who());
  return all.filter(({ scope }) => scope === null || data === undefined || data.scopes.includes(scope));
};

/** The pages that the shell leads to, as far as this session may read them. */
export const useMayReach = (): readonly Destination[] => useReachable(navigation);
