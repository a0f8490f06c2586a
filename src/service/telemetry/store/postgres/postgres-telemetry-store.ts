import type { PostgresPool } from '../../../platform/storage/dialects/postgres-pool.ts';
import { packBatch } from '../pack-batch.ts';
import type { TelemetryStore } from '../telemetry-store.ts';
import { createWriteLimit } from '../write-limit.ts';
import { removeSamples } from './postgres-sample-removal.ts';
import { PostgresSampleReader } from './postgres-sample-reader.ts';
import { PostgresSampleWriter } from './postgres-sample-writer.ts';
import { countSeries, countSeriesByDevice } from './postgres-series.ts';
import { migrateTelemetry } from './postgres-telemetry-schema.ts';
import { SamplePartitions } from './sample-partitions.ts';
import { SeriesCache } from './series-cache.ts';
import { createWriteQueue } from './write-queue.ts';

/** The size of many partitions takes the server a few milliseconds. */
const SIZE_VALID_MS = 10_000;

const SIZE = `
  select coalesce(sum(pg_total_relation_size(inhrelid)), 0) + pg_total_relation_size('telemetry_series') as bytes
  from pg_inherits where inhparent = 'telemetry_sample'::regclass`;

/**
 * Telemetry in PostgreSQL: a row for each sample, partitioned by month. Only one process may write. The pool has
 * TELEMETRY_SETTINGS, and is the caller's to end, after the store is closed.
 */
export const openPostgresTelemetryStore = async (
  pool: PostgresPool,
  {
    metricsPerDevice = Infinity,
    dropWithinMs = 2_000,
    onResumed,
  }: {
    metricsPerDevice?: number;
    dropWithinMs?: number;
    /** Calls the listener after a time in which other servers or processes may have written. */
    onResumed?: (listener: () => void) => void;
  } = {},
): Promise<TelemetryStore> => {
  await migrateTelemetry(pool);
  const partitions = new SamplePartitions(pool, dropWithinMs);
  const series = new SeriesCache(metricsPerDevice);
  onResumed?.(() => {
    partitions.clear();
    series.clear();
  });
  const writer = new PostgresSampleWriter(pool, partitions, series);
  const reader = new PostgresSampleReader(pool);
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

  const running = new Set<Promise<unknown>>();
  let isClosed = false;
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) throw new Error('The telemetry store is closed.');
    const call = work();
    running.add(call);
    try {
      return await call;
    } finally {
      running.delete(call);
    }
  };
  const removal = {
    pool,
    exclusively: queue.exclusively,
    onSeriesDeleted: () => series.clear(),
  };
  const stats = async () => {
    const { rows } = await pool.query<{ samples: number }>(
      'select coalesce(sum(samples), 0) as samples from telemetry_partition',
    );
    return { samples: rows[0]?.samples ?? 0, bytes: await bytesOnDisk() };
  };

  return {
    write: (batch) =>
      run(async () => {
        const packed = packBatch(batch);
        return limitWrites(packed, () => queue.write(packed));
      }),
    countSeries: (...names) => run(() => countSeries(pool, ...names)),
    countSeriesByDevice: (...names) => run(() => countSeriesByDevice(pool, ...names)),
    read: (...query) => run(() => reader.read(...query)),
    readCombined: (...query) => run(() => reader.readCombined(...query)),
    scan: (...page) => run(() => reader.scan(...page)),
    metrics: (...names) => run(() => reader.metrics(...names)),
    remove: (selection) => run(() => removeSamples(selection, removal)),
    dropBefore: (toMs) => run(() => queue.exclusively(() => partitions.dropBefore(toMs))),
    stats: () => run(stats),
    close: async () => {
      isClosed = true;
      await Promise.allSettled(running);
    },
  };
};
