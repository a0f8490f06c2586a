import type { LoaderFunctionArgs } from 'react-router-dom';
import type { Pipeline } from '#contract/pipelines.ts';
import { throughputRanges, type ThroughputRange } from '#contract/throughput.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { eventQueries } from '../../resources/events/event-queries.ts';
import { pipelineHistoryQueries } from '../../resources/pipelines/pipeline-history-queries.ts';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { rejectionQueries } from '../../resources/pipelines/rejection-queries.ts';

/** From this age on, a quarter of the chart of 24 hours is filled. */
const YOUNG_MS = 6 * 3_600_000;

type Age = { pipeline: Pick<Pipeline, 'createdAt'> | undefined; atMs: number };

/** The range of the throughput in the URL; without a valid one, an hour for a new pipeline, and 24 hours for others. */
export const readThroughputRange = (params: URLSearchParams, { pipeline, atMs }: Age): ThroughputRange => {
  const chosen = throughputRanges.find((range) => range === params.get('range'));
  if (chosen !== undefined) return chosen;
  return pipeline !== undefined && atMs - Date.parse(pipeline.createdAt) < YOUNG_MS ? '1h' : '24h';
};

/** The events on a pipeline's page. */
export const PIPELINE_EVENTS = 8;

export const pipelineLoader = ({ request, params: { id = '' } }: LoaderFunctionArgs) => {
  const { searchParams } = new URL(request.url);
  const [reason, device] = [searchParams.get('reason'), searchParams.get('device')];
  void queryClient.prefetchQuery(pipelineQueries.detail(id));
  void queryClient.prefetchQuery(pipelineQueries.types());
  const pipeline = queryClient.getQueryData(pipelineQueries.detail(id).queryKey);
  const range = readThroughputRange(searchParams, { pipeline, atMs: nowMs() });
  void queryClient.prefetchQuery(pipelineHistoryQueries.throughput(id, range));
  void queryClient.prefetchQuery(serviceQueries.connection());
  void queryClient.prefetchQuery(rejectionQueries.groups(id));
  void queryClient.prefetchQuery(rejectionQueries.groups(id, 'device'));
  void queryClient.prefetchInfiniteQuery(rejectionQueries.list(id, { reason, device }));
  void queryClient.prefetchQuery(eventQueries.latest(PIPELINE_EVENTS, id));
  return null;
};
