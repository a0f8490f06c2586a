import type { LoaderFunctionArgs } from 'react-router-dom';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { destinationQueries } from '../../resources/destinations/destination-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { rejectionQueries } from '../../resources/pipelines/rejection-queries.ts';

export const newPipelineLoader = ({ request }: LoaderFunctionArgs) => {
  const from = new URL(request.url).searchParams.get('from');
  void queryClient.prefetchQuery(pipelineQueries.types());
  void queryClient.prefetchQuery(destinationQueries.types());
  void queryClient.prefetchQuery(destinationQueries.choices());
  if (from !== null) void queryClient.prefetchQuery(pipelineQueries.detail(from));
  return null;
};

export const editPipelineLoader = ({ params: { id = '' } }: LoaderFunctionArgs) => {
  void queryClient.prefetchQuery(pipelineQueries.types());
  void queryClient.prefetchQuery(destinationQueries.types());
  void queryClient.prefetchQuery(destinationQueries.choices());
  void queryClient.prefetchQuery(pipelineQueries.detail(id));
  void queryClient.prefetchQuery(rejectionQueries.last(id));
  return null;
};
