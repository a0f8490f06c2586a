import type { LoaderFunctionArgs } from 'react-router-dom';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { unroutedQueries } from '../../resources/pipelines/unrouted-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { readFilters } from './pipeline-filters.ts';

export const pipelinesLoader = ({ request }: LoaderFunctionArgs) => {
  const { searchParams } = new URL(request.url);
  void queryClient.prefetchQuery(unroutedQueries.count());
  void queryClient.prefetchInfiniteQuery(pipelineQueries.list(readFilters(searchParams)));
  void queryClient.prefetchQuery(pipelineQueries.types());
  return null;
};
