import { eventQueries } from '../../resources/events/event-queries.ts';
import { overviewQueries } from './overview-queries.ts';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { LATEST_EVENTS } from './latest-events.tsx';
import { needsAttention } from './pipelines-panel.tsx';

/** Starts what the page reads, without waiting: the page shows itself in its final layout meanwhile. */
export const overviewLoader = () => {
  void queryClient.prefetchQuery(overviewQueries.get());
  void queryClient.prefetchInfiniteQuery(pipelineQueries.list(needsAttention));
  void queryClient.prefetchQuery(eventQueries.latest(LATEST_EVENTS));
  return null;
};
