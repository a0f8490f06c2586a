import { throughputApi } from '#contract/throughput.ts';
import { route } from '../../platform/http/route.ts';
import type { Db } from '../../platform/storage/database.ts';
import { getPipeline } from '../definition/pipeline-store.ts';
import type { Pipelines } from './pipelines.ts';

export const throughputRoutes = ({
  db,
  pipelines,
}: {
  db: Db;
  pipelines: Pick<Pipelines, 'throughputOf'>;
}) => [
  route(throughputApi.get, async ({ params, query }) =>
    pipelines.throughputOf(await getPipeline(db, params.id), query.range),
  ),
];
