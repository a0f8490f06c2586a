import { queryOptions } from '@tanstack/react-query';
import { overviewApi } from '#contract/overview.ts';
import type { PipelineState } from '#contract/pipelines.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { prefetchWhereAllowed, whereAllowed } from '../../api/session-queries.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { eventQueries } from '../../resources/events/event-queries.ts';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';

/** The states of pipelines that need attention. */
const attentionStates = ['failed', 'degraded', 'draft'] as const satisfies readonly PipelineState[];

export const LATEST_EVENTS = 8;

export const overviewQueries = {
  get: () =>
    queryOptions({
      queryKey: queryKeys.overview,
      queryFn: ({ signal }) => call(overviewApi.get, { signal }),
      // Rates and counts are not part of the stream.
      refetchInterval: 5_000,
      staleTime: 2_000,
    }),
  needingAttention: () => pipelineQueries.list({ state: [...attentionStates] }),
  latestEvents: () => eventQueries.latest(LATEST_EVENTS),
};

/** Prefetches without waiting: the page renders its final layout meanwhile. */
export const overviewLoader = () => {
  void queryClient.prefetchQuery(overviewQueries.get());
  void whereAllowed('pipelines:read', () =>
    queryClient.prefetchInfiniteQuery(overviewQueries.needingAttention()),
  );
  void prefetchWhereAllowed('events:read', overviewQueries.latestEvents());
  return null;
};
