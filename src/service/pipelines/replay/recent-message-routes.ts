import { recentMessagesApi } from '#contract/recent-messages.ts';
import { isAwaitedBy } from '../../platform/http/awaited.ts';
import { route } from '../../platform/http/route.ts';
import type { WholeMessage } from '../ingest/device-message-cache.ts';
import type { DryRunDependencies } from './pipeline-dry-run.ts';
import { previewRecent } from './preview-recent.ts';

type Dependencies = DryRunDependencies & {
  pipelines: {
    /** The latest messages of a pipeline that are kept whole. */
    recentMessagesOf: (id: string) => { sinceMs: number; messages: readonly WholeMessage[] };
  };
};

export const recentMessageRoutes = (deps: Dependencies) => [
  route(recentMessagesApi.preview, ({ params, body: { change }, actor, request }) =>
    previewRecent(
      deps,
      params.id,
      { change, recent: deps.pipelines.recentMessagesOf(params.id) },
      { actor, isAwaited: isAwaitedBy(request) },
    ),
  ),
];
