import { overwritesApi } from '#contract/overwrites.ts';
import type { Deps } from '../../deps.ts';
import { route } from '../../platform/http/route.ts';
import { listOverwrites } from '../ingest/overwrite-store.ts';
import { getPipeline } from '../definition/pipeline-store.ts';

export const overwriteRoutes = ({ db }: Deps) => [
  route(overwritesApi.list, async ({ params }) => {
    await getPipeline(db, params.id);
    return { data: await listOverwrites(db, params.id) };
  }),
];
