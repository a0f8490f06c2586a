import { overwritesApi } from '#contract/overwrites.ts';
import type { Db } from '../../platform/storage/database.ts';
import { route } from '../../platform/http/route.ts';
import { listOverwrites } from '../ingest/overwrite-store.ts';
import { getPipeline } from '../definition/pipeline-store.ts';

export const overwriteRoutes = ({ db }: { db: Db }) => [
  route(overwritesApi.list, async ({ params }) => {
    await getPipeline(db, params.id);
    return { data: await listOverwrites(db, params.id) };
  }),
];
