import { connectionQueries } from '../../resources/devices/connection-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { referenceQueries } from './reference-queries.ts';

export const apiReferenceLoader = () => {
  void queryClient.prefetchQuery(referenceQueries.document());
  void queryClient.prefetchQuery(connectionQueries.get());
  return null;
};
