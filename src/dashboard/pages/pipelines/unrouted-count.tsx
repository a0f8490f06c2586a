import { useQuery } from '@tanstack/react-query';
import { unroutedQueries } from '../../resources/pipelines/unrouted-queries.ts';
import { formatCompact } from '../../ui/format/format-number.ts';

/** The number of groups of topics with unrouted messages; nothing if there are none. */
export const UnroutedCount = () => {
  const { data: count = 0 } = useQuery(unroutedQueries.count());
  return count > 0 && <span className="tabular ml-1 font-normal text-muted">{formatCompact(count)}</span>;
};
