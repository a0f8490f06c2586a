import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '../api/session-queries.ts';
import { navigation, type Destination } from '../navigation.ts';

/** The pages that this session may read; all of them until that is known, so that nothing appears late. */
export const useMayReach = (): readonly Destination[] => {
  const { data } = useQuery(sessionQueries.who());
  return navigation.filter(
    ({ scope }) => scope === null || data === undefined || data.scopes.includes(scope),
  );
};
