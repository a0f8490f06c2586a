import { rejectionsApi } from '#contract/rejections.ts';
import { isAwaitedBy } from '../../platform/http/awaited.ts';
import { route } from '../../platform/http/route.ts';
import { getPipeline } from '../definition/pipeline-store.ts';
import type { DryRunDependencies } from './pipeline-dry-run.ts';
import { previewReplay } from './preview-replay.ts';
import type { Replayer } from './replay-rejections.ts';
import { countRejections, countRejectionsOfDevices } from '../rejections/rejection-counts.ts';
import { deleteRejections, listRejections } from '../rejections/rejection-store.ts';

type Dependencies = DryRunDependencies & { pipelines: Pick<Replayer, 'replay'> };

export const rejectionRoutes = (deps: Dependencies) => {
  const { db, pipelines } = deps;
  return [
    route(rejectionsApi.list, async ({ params, query }) => {
      await getPipeline(db, params.id);
      if (query.groupBy === 'device') return { data: await countRejectionsOfDevices(db, params.id) };
      if (query.groupBy === 'reason') return { data: await countRejections(db, params.id) };
      return listRejections(db, params.id, query);
    }),

    route(rejectionsApi.previewReplay, ({ params, body, actor, request }) =>
      previewReplay(deps, params.id, body, { actor, isAwaited: isAwaitedBy(request) }),
    ),

    route(rejectionsApi.replay, ({ params, body, actor, request }) =>
      pipelines.replay(params.id, body, { actor, isAwaited: isAwaitedBy(request) }),
    ),

    route(rejectionsApi.discard, async ({ params }) => {
      await getPipeline(db, params.id);
      return { discarded: await deleteRejections(db, params.id) };
    }),
  ];
};
