import type { PipelineState } from '#contract/pipeline-state.ts';
import { queryClient } from '../../api/query-client.ts';
import { prefetchWhereAllowed, runWhereAllowed } from '../../api/session-queries.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { eventQueries } from '../../resources/events/event-queries.ts';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';

/** The states of pipelines that need attention. */
const attentionStates = ['failed', 'degraded', 'draft'] as const satisfies readonly PipelineState[];

export const LATEST_EVENTS = 8;

export const overviewQueries = {
  needingAttention: () => pipelineQueries.list({ state: [...attentionStates] }),
  latestEvents: () => eventQueries.latest(LATEST_EVENTS),
};

/** Prefetches without waiting: the page renders its final layout meanwhile. */
export const overviewLoader = () => {
  void queryClient.prefetchQuery(serviceQueries.overview());
  void runWhereAllowed('pipelines:read', () =>
    queryClient.prefetchInfiniteQuery(overviewQueries.needingAttention()),
  );
  void prefetchWhereAllowed('events:read', overviewQueries.latestEvents());
  return null;
};
