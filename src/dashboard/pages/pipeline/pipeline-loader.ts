import type { LoaderFunctionArgs } from 'react-router-dom';
import { throughputRanges, type ThroughputRange } from '#contract/throughput.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { eventQueries } from '../../resources/events/event-queries.ts';
import { pipelineHistoryQueries } from '../../resources/pipelines/pipeline-history-queries.ts';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { rejectionQueries } from '../../resources/pipelines/rejection-queries.ts';

/** The range of the throughput in the URL; 24 hours without a valid one. */
export const readThroughputRange = (params: URLSearchParams): ThroughputRange =>
  throughputRanges.find((range) => range === params.get('range')) ?? '24h';

/** The events on a pipeline's page. */
export const PIPELINE_EVENTS = 8;

export const pipelineLoader = ({ request, params: { id = '' } }: LoaderFunctionArgs) => {
  const { searchParams } = new URL(request.url);
  const [reason, device] = [searchParams.get('reason'), searchParams.get('device')];
  void queryClient.prefetchQuery(pipelineQueries.detail(id));
  void queryClient.prefetchQuery(pipelineQueries.types());
  void queryClient.prefetchQuery(pipelineHistoryQueries.throughput(id, readThroughputRange(searchParams)));
  void queryClient.prefetchQuery(serviceQueries.connection());
  void queryClient.prefetchQuery(rejectionQueries.groups(id));
  void queryClient.prefetchQuery(rejectionQueries.groups(id, 'device'));
  void queryClient.prefetchInfiniteQuery(rejectionQueries.list(id, { reason, device }));
  void queryClient.prefetchQuery(eventQueries.latest(PIPELINE_EVENTS, id));
  return null;
};
