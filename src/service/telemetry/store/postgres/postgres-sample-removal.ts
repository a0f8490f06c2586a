import {
  inPostgresTransaction,
  type PostgresClient,
  type PostgresPool,
} from '../../../platform/storage/dialects/postgres-pool.ts';
import type { Selection } from '../telemetry-store.ts';
import { numberArray } from './column-bytes.ts';
import { clampTime } from '../clamp-time.ts';
import { BY_INDEX } from './planner-settings.ts';
import { selectSeries, type PostgresSeries } from './postgres-series.ts';
import { STOP_WRITES } from './write-locks.ts';

/** Series and samples that one transaction deletes at most, so that writes run in between. */
const SERIES_PER_STEP = 64;
const SAMPLES_PER_STEP = 20_000;

const DELETE_SOME = `
  with to_delete as materialized (
    select series, ts from telemetry_sample where series = any($1::int[]) and ts >= $2 and ts < $3 limit $4
  ), deleted as (
    delete from telemetry_sample sample using to_delete
    where sample.series = to_delete.series and sample.ts = to_delete.ts and sample.ts >= $2 and sample.ts < $3
    returning sample.ts
  ), counted as (
    select partition.name, count(*) as samples
    from deleted join telemetry_partition partition on deleted.ts >= partition.from_ts and deleted.ts < partition.to_ts
    group by partition.name
  ), updated as (
    update telemetry_partition stored set samples = stored.samples - counted.samples
    from counted where stored.name = counted.name
  )
  select coalesce(sum(samples), 0) as samples from counted`;

const DELETE_EMPTY_SERIES = `
  delete from telemetry_series where id = any($1::int[])
    and not exists (select from telemetry_sample where series = telemetry_series.id)`;

type Dependencies = {
  pool: PostgresPool;
  /** Runs a step while no write of this process runs, which would keep a connection waiting for the lock. */
  exclusively: <T>(step: () => Promise<T>) => Promise<T>;
};

/** Deletes samples, and series that have none left, in steps. Returns the number of deleted samples. */
export const removeSamples = async (
  { devices, metrics, fromMs, toMs }: Selection,
  { pool, exclusively }: Dependencies,
): Promise<number> => {
  if (fromMs >= toMs) return 0;
  const inStep = <T>(work: (client: PostgresClient) => Promise<T>): Promise<T> =>
    exclusively(() => inPostgresTransaction(pool, work, `${BY_INDEX}; ${STOP_WRITES}`));
  let series: readonly PostgresSeries[] | undefined;
  let total = 0;
  for (let i = 0; i < (series?.length ?? 1); i += SERIES_PER_STEP) {
    let ids = '';
    let deleted: number;
    do {
      deleted = await inStep(async (client) => {
        // After the writes that came before the removal.
        series ??= await selectSeries(pool, devices, metrics);
        ids = numberArray(series.slice(i, i + SERIES_PER_STEP).map(({ id }) => id));
        const { rows } = await client.query<{ samples: number }>(DELETE_SOME, [
          ids,
          clampTime(fromMs),
          clampTime(toMs),
          SAMPLES_PER_STEP,
        ]);
        return rows[0]?.samples ?? 0;
      });
      total += deleted;
    } while (deleted === SAMPLES_PER_STEP);
    await inStep(async (client) => {
      const { rowCount } = await client.query(DELETE_EMPTY_SERIES, [ids]);
      if (rowCount !== 0) await client.query('update telemetry_generation set value = value + 1');
    });
  }
  return total;
};
