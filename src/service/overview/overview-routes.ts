import { overviewApi } from '#contract/overview.ts';
import type { PipelineState } from '#contract/pipeline-state.ts';
import { countByState, findByIds } from '../devices/device-store.ts';
import type { ThroughputRecorder } from '../pipelines/runner/throughput-recorder.ts';
import { route } from '../platform/http/route.ts';
import type { Clock } from '../platform/clock.ts';
import type { SampleRate } from '../platform/sample-rate.ts';
import type { Db } from '../platform/storage/database.ts';
import { TelemetryUnavailable } from '../platform/storage/store-errors.ts';
import type { BusiestDevices, BusyDevice } from '../telemetry/write/busiest-devices.ts';
import type { TelemetryStore } from '../telemetry/store/telemetry-store.ts';
import { createAttention, type AttentionDependencies } from './attention.ts';
import { createDiskForecast } from './disk-forecast.ts';
import type { StorageGrowth } from './storage-growth.ts';

const countPipelines = async (db: Db): Promise<Record<PipelineState, number>> => {
  const counts = { draft: 0, running: 0, degraded: 0, failed: 0, paused: 0 };
  const rows = await db
    .selectFrom('pipeline')
    .select(['state', (is) => is.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  for (const { state, count } of rows) counts[state as PipelineState] = Number(count);
  return counts;
};

const withTotal = <S extends string>(byState: Record<S, number>) => ({
  total: Object.values<number>(byState).reduce((sum, count) => sum + count, 0),
  byState,
});

/** With the names of the devices. Those that were deleted are left out. */
const describeBusiest = async (db: Db, busiest: readonly BusyDevice[]) => {
  const found = await findByIds(
    db,
    busiest.map(({ id }) => id),
  );
  const devices = new Map(found.filter((row) => row.deleted_at === null).map((row) => [row.id, row]));
  return busiest.flatMap(({ id, share }) => {
    const row = devices.get(id);
    return row === undefined ? [] : [{ id, externalId: row.external_id, name: row.name, share }];
  });
};

/** The problem of telemetry.db is listed under what needs attention. The other figures are still returned. */
const noSamples = (error: unknown): Awaited<ReturnType<TelemetryStore['stats']>> => {
  if (!(error instanceof TelemetryUnavailable)) throw error;
  return { samples: 0, bytes: 0 };
};

type Dependencies = AttentionDependencies & {
  db: Db;
  clock: Clock;
  telemetry: Pick<TelemetryStore, 'stats'>;
  ingestRate: Pick<SampleRate, 'perSecond'>;
  busiestDevices: Pick<BusiestDevices, 'read'>;
  throughput: Pick<ThroughputRecorder, 'readAccepted'>;
  /** The directory of telemetry.db; undefined: telemetry is on a database server. */
  telemetryDir: string | undefined;
  storageGrowth: Pick<StorageGrowth, 'growth'> | undefined;
};

export const overviewRoutes = (deps: Dependencies) => {
  const { db, clock, telemetry, ingestRate, throughput, busiestDevices } = deps;
  const forecast = createDiskForecast({ ...deps, now: clock.now });
  const readAttention = createAttention(deps);
  return [
    route(overviewApi.get, async ({ actor }) => {
      const devices = withTotal(await countByState(db, actor.devices));
      if (actor.devices !== null)
        return { devices, pipelines: null, ingest: null, storage: null, attention: null };
      const { samples, bytes } = await telemetry.stats().catch(noSamples);
      return {
        devices,
        pipelines: withTotal(await countPipelines(db)),
        ingest: {
          perSecond: ingestRate.perSecond(),
          perMinute: await throughput.readAccepted(),
          busiest: await describeBusiest(db, busiestDevices.read()),
        },
        storage: { samples, bytes, ...(await forecast(bytes)) },
        attention: await readAttention(actor.scopes),
      };
    }),
  ];
};
