import { redirect } from 'react-router-dom';
import { queryClient } from '../../api/query-client.ts';
import { session } from '../../api/session.ts';
import { sessionQueries } from '../../api/session-queries.ts';
import { overviewQuery } from '../../resources/service/overview-query.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { settingsSections } from './settings-sections.ts';

/** Opens the first section that the session can read. */
export const settingsLoader = () => {
  const scopes = session.scopes();
  const canRead = settingsSections.find(
    ({ scope }) => scope === null || scopes === null || scopes.includes(scope),
  );
  return canRead === undefined ? null : redirect(canRead.to);
};

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
