import { queryOptions } from '@tanstack/react-query';
import type { QueryOf } from '#contract/endpoint.ts';
import { eventsApi } from '#contract/events.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { isInRun, markContinued, rangeOfRun, type Run } from './event-run.ts';
import { pagedList, readPages } from '../../api/paged-list.ts';

export type EventFilters = Omit<QueryOf<typeof eventsApi.list>, 'cursor' | 'limit' | 'total' | 'collapse'>;

const filtersOfRun = (run: Run): EventFilters => ({ type: [run.type], ...rangeOfRun(run) });

/** Reads the IDs of the devices of a run. `onPage`: how many have been read. */
export const readRunDevices = async (
  run: Run,
  signal: AbortSignal,
  onPage: (count: number) => void,
): Promise<string[]> => {
  const filters = filtersOfRun(run);
  const ids = new Set<string>();
  for await (const events of readPages((page) =>
    call(eventsApi.list, { query: { ...filters, ...page }, signal }),
  )) {
    for (const event of events) if (isInRun(event, run)) ids.add(event.subject.id);
    onPage(ids.size);
  }
  // A run that a page cuts off ends within events of the same time.
  return [...ids].slice(0, run.run.count);
};

/** All events that match, loaded page by page. */
const pagesOf = (key: readonly unknown[], query: EventFilters & { collapse?: true }) =>
  pagedList([...queryKeys.eventLog, ...key], ({ total: _, ...page }, signal) =>
    call(eventsApi.list, { query: { ...query, ...page }, signal }),
  );

export const eventQueries = {
  /** Not refetched with each event: the page adds new events itself. */
  list: (filters: EventFilters = {}) => pagesOf([filters], { ...filters, collapse: true }),
  /** The events of a run. */
  run: (run: Run) => {
    const filters = filtersOfRun(run);
    return pagesOf(['run', filters], filters);
  },
  /** The newest few, of one subject or of all. */
  latest: (limit: number, subject?: string) =>
    queryOptions({
      queryKey: [...queryKeys.latestEvents, 'latest', limit, subject ?? null],
      queryFn: async ({ signal }) => {
        const page = await call(eventsApi.list, {
          query: subject === undefined ? { limit, collapse: true } : { limit, subject },
          signal,
        });
        const isCut = page.nextCursor !== null && page.data.length < limit;
        return isCut ? { ...page, data: markContinued(page.data) } : page;
      },
    }),
};
