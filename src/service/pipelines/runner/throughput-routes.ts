import { throughputApi } from '#contract/throughput.ts';
import { route } from '../../platform/http/route.ts';
import type { Db } from '../../platform/storage/database.ts';
import { getPipeline, listCreationTimes } from '../definition/pipeline-store.ts';
import type { Pipelines } from './pipelines.ts';

export const throughputRoutes = ({
  db,
  pipelines,
}: {
  db: Db;
  pipelines: Pick<Pipelines, 'throughputOf' | 'lastHoursOf'>;
}) => [
  route(throughputApi.lastHour, async ({ query }) => ({
    data: await pipelines.lastHoursOf(await listCreationTimes(db, query.pipeline)),
  })),

  route(throughputApi.get, async ({ params, query }) =>
    pipelines.throughputOf(await getPipeline(db, params.id), query.range),
  ),
];
