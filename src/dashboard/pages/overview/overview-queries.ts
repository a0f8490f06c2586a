import { queryOptions } from '@tanstack/react-query';
import { eventsApi, type EventType } from '#contract/events.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { queryClient } from '../../api/query-client.ts';
import { overviewQuery } from '../../resources/service/overview-query.ts';
import { facetQuery } from '../../resources/devices/facet-queries.ts';
import { eventQueries } from '../../resources/events/event-queries.ts';

/** As many as fit beside the other panels of a large screen. */
const LATEST_EVENTS = 30;
const MAX_KEYS = 50;

export const overviewQueries = {
  latestEvents: () => eventQueries.latest(LATEST_EVENTS),
  /** The tags that devices can be grouped by. */
  groupKeys: () => facetQuery({ by: 'tag', limit: MAX_KEYS }),
  /** The number of events of these types in the last hour. */
  inLastHour: (types: readonly EventType[]) =>
    queryOptions({
      queryKey: [...queryKeys.eventLog, 'last-hour', types],
      queryFn: async ({ signal }) => {
        const query = { type: [...types], from: '-1h', limit: 1, total: true };
        const { total = 0 } = await call(eventsApi.list, { query, signal });
        return total;
      },
      // Not with each event: a thousand devices may go offline at once.
      refetchInterval: 5_000,
      staleTime: 2_000,
    }),
};

/** Prefetches without waiting: the page renders its final layout meanwhile. */
export const overviewLoader = () => {
  void queryClient.prefetchQuery(overviewQuery());
  void queryClient.prefetchQuery(overviewQueries.latestEvents());
  void queryClient.prefetchQuery(overviewQueries.groupKeys());
  return null;
};
