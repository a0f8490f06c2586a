import { createWorkQueue } from '../../../platform/http/work-queue.ts';
import type { PoolOptions, PostgresPool } from '../../../platform/storage/dialects/postgres-pool.ts';
import { QueryTooLarge } from '../../../platform/storage/store-errors.ts';
import { packBatch } from '../pack-batch.ts';
import { createRunningCalls } from '../running-calls.ts';
import { ServerSampleReader } from '../server-sample-reader.ts';
import type { TelemetryStore } from '../telemetry-store.ts';
import { createWriteLimit } from '../write-limit.ts';
import { createWriteQueue } from '../write-queue.ts';
import { TELEMETRY_SETTINGS } from './planner-settings.ts';
import { removeSamples } from './postgres-sample-removal.ts';
import { PostgresSampleTables } from './postgres-sample-tables.ts';
import { PostgresSampleWriter } from './postgres-sample-writer.ts';
import { countSeries, countSeriesByDevice } from './postgres-series.ts';
import { migrateTelemetry } from './postgres-telemetry-schema.ts';
import { SamplePartitions } from './sample-partitions.ts';
import { SeriesCache } from './series-cache.ts';

/** Connections for the queue of writes, and for the statistics beside it. */
const WRITE_CONNECTIONS = 2;
/** Reads have connections of their own, so that writes do not wait for them. */
const READS = { maxRunning: 6, maxWaiting: 200, tasks: 'reads of telemetry' };
/** How long a statement of a read may take. */
const READ_WITHIN_MS = 30_000;
const QUERY_CANCELED = '57014';

/** The size of many partitions takes the server a few milliseconds. */
const SIZE_VALID_MS = 10_000;

const SIZE = `
  select coalesce(sum(pg_total_relation_size(inhrelid)), 0) + pg_total_relation_size('telemetry_series') as bytes
  from pg_inherits where inhparent = 'telemetry_sample'::regclass`;

/** @throws QueryTooLarge if a statement took longer than `readWithinMs` */
const explainTimeout = async <T>(read: () => Promise<T>, readWithinMs: number): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === QUERY_CANCELED)) throw error;
    throw new QueryTooLarge(
      `PostgreSQL did not answer the query within the limit of ${readWithinMs / 1_000} s. Choose fewer devices or metrics, or a shorter range.`,
      { cause: error },
    );
  }
};

/**
 * Telemetry in PostgreSQL: a row for each sample, partitioned by month. Several processes may write.
 * @param readWithinMs how long a statement of a read may take. A longer read is rejected as QueryTooLarge
 */
export const openPostgresTelemetryStore = async (
  openPool: (options: PoolOptions) => PostgresPool,
  {
    metricsPerDevice = Infinity,
    dropWithinMs = 2_000,
    readWithinMs = READ_WITHIN_MS,
    onResumed,
    mayMigrate = true,
  }: {
    metricsPerDevice?: number;
    dropWithinMs?: number;
    readWithinMs?: number;
    /** Calls the listener after a time in which other servers or processes may have written. */
    onResumed?: (listener: () => void) => void;
    /** Whether no other process uses the tables. */
    mayMigrate?: boolean;
  } = {},
): Promise<TelemetryStore> => {
  const pool = openPool({ max: WRITE_CONNECTIONS, settings: TELEMETRY_SETTINGS });
  await migrateTelemetry(pool, { mayMigrate });
  const readPool = openPool({
    max: READS.maxRunning,
    settings: `${TELEMETRY_SETTINGS}; set statement_timeout = ${readWithinMs}`,
  });
  const limitReads = createWorkQueue(READS);
  const partitions = new SamplePartitions(pool, dropWithinMs);
  const series = new SeriesCache(metricsPerDevice);
  onResumed?.(() => {
    partitions.clear();
    series.clear();
  });
  const writer = new PostgresSampleWriter(pool, partitions, series);
  const tables = new PostgresSampleTables(readPool);
  const reader = new ServerSampleReader(tables);
  const queue = createWriteQueue((batches) => writer.write(batches));
  const limitWrites = createWriteLimit();
  let size = { bytes: 0, readAtMs: -Infinity };

  const bytesOnDisk = async (): Promise<number> => {
    if (performance.now() - size.readAtMs > SIZE_VALID_MS) {
      const { rows } = await pool.query<{ bytes: number }>(SIZE);
      size = { bytes: rows[0]?.bytes ?? 0, readAtMs: performance.now() };
    }
    return size.bytes;
  };

  const { run, close: closeCalls } = createRunningCalls();
  const runRead = <T>(read: () => Promise<T>): Promise<T> =>
    run(() => limitReads(() => explainTimeout(read, readWithinMs)));
  const stats = async () => {
    const { rows } = await pool.query<{ samples: number }>(
      'select coalesce(sum(samples), 0) as samples from telemetry_partition',
    );
    return { samples: rows[0]?.samples ?? 0, bytes: await bytesOnDisk() };
  };

  return {
    countsRepeats: true,
    write: (batch) =>
      run(async () => {
        const packed = packBatch(batch);
        return limitWrites(packed, () => queue.write(packed));
      }),
    countSeries: (...names) => runRead(() => countSeries(readPool, ...names)),
    countSeriesByDevice: (...names) => runRead(() => countSeriesByDevice(readPool, ...names)),
    read: (...query) => runRead(() => reader.read(...query)),
    readCombined: (...query) => runRead(() => reader.readCombined(...query)),
    scan: (...page) => runRead(() => reader.scan(...page)),
    metrics: (...names) => runRead(() => tables.metrics(...names)),
    remove: (selection) => run(() => removeSamples(selection, { pool, exclusively: queue.exclusively })),
    dropBefore: (toMs) => run(() => queue.exclusively(() => partitions.dropBefore(toMs))),
    stats: () => run(stats),
    close: async () => {
      await closeCalls();
      await Promise.all([pool.end(), readPool.end()]);
    },
  };
};
