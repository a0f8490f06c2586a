import { createWorkQueue } from '../../../platform/http/work-queue.ts';
import { QueryTooLarge } from '../../../platform/storage/store-errors.ts';
import { packBatch } from '../pack-batch.ts';
import { createRunningCalls } from '../running-calls.ts';
import { ServerSampleReader } from '../server-sample-reader.ts';
import type { TelemetryStore } from '../telemetry-store.ts';
import { soleWriter, type WriteCoordinator } from '../write-coordinator.ts';
import { createWriteLimit } from '../write-limit.ts';
import { createWriteQueue } from '../write-queue.ts';
import type { ClickHouse, ClickHouseOptions, ClickHouseSettings } from './clickhouse-client.ts';
import { CLICKHOUSE_CODE, ClickHouseFailure } from './clickhouse-failure.ts';
import { removeOldSamples } from './clickhouse-retention.ts';
import { removeSamples } from './clickhouse-sample-removal.ts';
import { ClickHouseSampleTables } from './clickhouse-sample-tables.ts';
import { writeSamples } from './clickhouse-sample-writer.ts';
import { createTelemetryTables, findSessionSettings, syncInserts } from './clickhouse-schema.ts';
import { ClickHouseSeriesCache } from './clickhouse-series-cache.ts';
import { countSeries, countSeriesByDevice } from './clickhouse-series.ts';

/** For the queue of writes, and for removals and statistics beside it. */
const WRITE_CONNECTIONS = 3;
const WRITE_WITHIN_MS = 120_000;
/** Reads have connections of their own, so that writes do not wait for them. */
const READS = { maxRunning: 6, maxWaiting: 200, tasks: 'reads of telemetry' };
const READ_WITHIN_MS = 30_000;
/** How much later than the limit the server may report that a read exceeds it. */
const ANSWER_WITHIN_MS = 5_000;

/** Each insert creates a file for each month, which the server merges later: it delays inserts if there are hundreds. */
const WRITE_EVERY_MS = 200;

const TOO_LARGE: ReadonlySet<number> = new Set([
  CLICKHOUSE_CODE.timeoutExceeded,
  CLICKHOUSE_CODE.memoryLimit,
]);

/** @throws QueryTooLarge if the server took too long or too much memory */
const explainLimits = async <T>(read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ClickHouseFailure) || !TOO_LARGE.has(error.code)) throw error;
    throw new QueryTooLarge(
      'ClickHouse did not answer the query within its limits of time and memory. Choose fewer devices or metrics, or a shorter range.',
      { cause: error },
    );
  }
};

/** Returns the settings of later connections. */
const prepareTables = async (
  clickhouse: ClickHouse,
  onUnsynced?: () => void,
): Promise<ClickHouseSettings> => {
  try {
    await createTelemetryTables(clickhouse);
    if (!(await syncInserts(clickhouse))) onUnsynced?.();
    return await findSessionSettings(clickhouse);
  } finally {
    await clickhouse.close();
  }
};

/** Telemetry in ClickHouse: a row for each sample, partitioned by month. Several processes may write if they share a `coordinator`. */
export const openClickHouseTelemetryStore = async (
  open: (options: ClickHouseOptions) => ClickHouse,
  {
    metricsPerDevice = Infinity,
    readWithinMs = READ_WITHIN_MS,
    writeEveryMs = WRITE_EVERY_MS,
    coordinator = soleWriter,
    onUnsynced,
  }: {
    metricsPerDevice?: number;
    readWithinMs?: number;
    writeEveryMs?: number;
    coordinator?: WriteCoordinator;
    /** Called if the server answers an insert before its samples are on disk. */
    onUnsynced?: () => void;
  } = {},
): Promise<TelemetryStore> => {
  const settings = await prepareTables(open({ connections: 1, answerWithinMs: WRITE_WITHIN_MS }), onUnsynced);
  const writeClient = open({ connections: WRITE_CONNECTIONS, answerWithinMs: WRITE_WITHIN_MS, settings });
  const readClient = open({
    connections: READS.maxRunning,
    answerWithinMs: readWithinMs + ANSWER_WITHIN_MS,
    settings: { ...settings, max_execution_time: readWithinMs / 1_000 },
  });
  const series = new ClickHouseSeriesCache(writeClient, metricsPerDevice, coordinator);
  const tables = new ClickHouseSampleTables(readClient);
  const reader = new ServerSampleReader(tables);
  const queue = createWriteQueue(
    async (batches) => {
      try {
        return await coordinator.share((generation) =>
          writeSamples(writeClient, series, batches, generation),
        );
      } catch (error) {
        // Others may write before the server answers again.
        series.clear();
        throw error;
      }
    },
    { writeEveryMs },
  );
  const limitWrites = createWriteLimit();
  const limitReads = createWorkQueue(READS);
  const { run, close } = createRunningCalls();
  const runRead = <T>(read: () => Promise<T>): Promise<T> => run(() => limitReads(() => explainLimits(read)));
  const removal = {
    clickhouse: writeClient,
    exclusively: <T>(step: () => Promise<T>) => queue.exclusively(() => coordinator.stopWrites(step)),
    onSeriesDeleted: () => series.clear(),
  };
  const stats = async () => {
    const rows = await writeClient.select(
      `select toInt64(sumIf(rows, table = 'telemetry_sample')), toInt64(sum(bytes_on_disk)) from system.parts
       where active and database = currentDatabase() and table in ('telemetry_sample', 'telemetry_series')`,
    );
    return { samples: rows.int64(), bytes: rows.int64() };
  };

  return {
    write: (batch) =>
      run(async () => {
        const packed = packBatch(batch);
        return limitWrites(packed, () => queue.write(packed));
      }),
    countSeries: (...names) => runRead(() => countSeries(readClient, ...names)),
    countSeriesByDevice: (...names) => runRead(() => countSeriesByDevice(readClient, ...names)),
    read: (...query) => runRead(() => reader.read(...query)),
    readCombined: (...query) => runRead(() => reader.readCombined(...query)),
    scan: (...page) => runRead(() => reader.scan(...page)),
    metrics: (...names) => runRead(() => tables.metrics(...names)),
    remove: (selection) => run(() => removeSamples(selection, removal)),
    removeBefore: (toMs) => run(() => removeOldSamples(toMs, removal)),
    stats: () => run(stats),
    close: async () => {
      await close();
      await Promise.all([writeClient.close(), readClient.close()]);
    },
  };
};
