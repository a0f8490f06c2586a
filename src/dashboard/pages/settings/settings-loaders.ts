import { queryClient } from '../../api/query-client.ts';
import { sessionQueries } from '../../api/session-queries.ts';
import { overviewQuery } from '../../resources/service/overview-query.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';

/** Prefetches without waiting: the page renders its final layout meanwhile. */
export const connectionLoader = () => {
  void queryClient.prefetchQuery(serviceQueries.connection());
  void queryClient.prefetchQuery(sessionQueries.who());
  return null;
};

export const aboutLoader = () => {
  void queryClient.prefetchQuery(serviceQueries.connection());
  void queryClient.prefetchQuery(serviceQueries.storage());
  void queryClient.prefetchQuery(overviewQuery());
  return null;
};
