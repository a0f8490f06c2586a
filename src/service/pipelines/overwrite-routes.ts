import { overwritesApi } from '#contract/overwrites.ts';
import type { Deps } from '../deps.ts';
import { route } from '../http/route.ts';
import { listOverwrites } from './overwrite-store.ts';
import { getPipeline } from './pipeline-store.ts';

export const overwriteRoutes = ({ db }: Deps) => [
  route(overwritesApi.list, async ({ params }) => {
    await getPipeline(db, params.id);
    return { data: await listOverwrites(db, params.id) };
  }),
];
