import { createWorkQueue } from '../../../platform/http/work-queue.ts';
import { QueryTooLarge } from '../../../platform/storage/store-errors.ts';
import { packBatch } from '../pack-batch.ts';
import { createRunningCalls } from '../running-calls.ts';
import { ServerSampleReader } from '../server-sample-reader.ts';
import type { TelemetryStore } from '../telemetry-store.ts';
import { soleWriter, type WriteCoordinator } from '../write-coordinator.ts';
import { createWriteLimit } from '../write-limit.ts';
import { createWriteQueue } from '../write-queue.ts';
import type { ClickHouseCluster } from './clickhouse-address.ts';
import type { ClickHouseServers, ClickHouseSettings, OpenClickHouse } from './clickhouse-client.ts';
import { createShards, soleShard, type ClickHouseShards } from './clickhouse-cluster.ts';
import { CLICKHOUSE_CODE, ClickHouseFailure } from './clickhouse-failure.ts';
import { quoteText, textList } from './clickhouse-literals.ts';
import { removeOldSamples } from './clickhouse-retention.ts';
import { removeSamples } from './clickhouse-sample-removal.ts';
import { ClickHouseSampleTables } from './clickhouse-sample-tables.ts';
import { writeSamples } from './clickhouse-sample-writer.ts';
import { createTelemetryTables, findSessionSettings } from './clickhouse-schema.ts';
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

/** ClickHouse repeats a failing mutation forever, so closing does not wait for it. */
const CLOSE_WITHIN_MS = 10_000;

/** Each insert creates a file for each month, which the server merges later: it delays inserts if there are hundreds. */
const WRITE_EVERY_MS = 200;
/** With the time between two inserts, this limits the rate of a process to half a million samples per second. */
const SAMPLES_PER_INSERT = 100_000;

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

type ClickHouseStoreOptions = {
  /** The cluster of the servers; undefined: one server. */
  cluster?: ClickHouseCluster | undefined;
  metricsPerDevice?: number;
  readWithinMs?: number;
  writeEveryMs?: number;
  /** How long closing waits for removals. ClickHouse completes them later. */
  closeWithinMs?: number;
  /** Coordinates the processes that write to the same tables. */
  coordinator?: WriteCoordinator;
  /** Called if the server answers an insert before its samples are on disk. */
  onUnsynced?: (() => void) | undefined;
};

/** Returns the settings of later connections. */
const prepareTables = async (
  clickhouse: ClickHouseServers,
  { cluster, onUnsynced }: ClickHouseStoreOptions,
): Promise<ClickHouseSettings> => {
  try {
    if (!(await createTelemetryTables(clickhouse, cluster))) onUnsynced?.();
    return await findSessionSettings(clickhouse, cluster?.insertQuorum);
  } finally {
    await clickhouse.close();
  }
};

const readStats = async ({ tables, choose }: ClickHouseShards) => {
  const names = textList(Object.values(tables));
  const sizes = await Promise.all(
    (await choose()).map(async ({ server }) => {
      const rows = await server.select(
        `select toInt64(sumIf(rows, table = ${quoteText(tables.sample)})), toInt64(sum(bytes_on_disk)) from system.parts
         where active and database = currentDatabase() and table in ${names}`,
      );
      return { samples: rows.int64(), bytes: rows.int64() };
    }),
  );
  const sum = (of: 'samples' | 'bytes') => sizes.reduce((total, size) => total + size[of], 0);
  return { samples: sum('samples'), bytes: sum('bytes') };
};

/**
 * Telemetry in ClickHouse: a row for each sample, partitioned by month. Several processes may write if they share a
 * `coordinator`.
 */
export const openClickHouseTelemetryStore = async (
  open: OpenClickHouse,
  options: ClickHouseStoreOptions = {},
): Promise<TelemetryStore> => {
  const {
    cluster,
    metricsPerDevice = Infinity,
    readWithinMs = READ_WITHIN_MS,
    writeEveryMs = WRITE_EVERY_MS,
    closeWithinMs = CLOSE_WITHIN_MS,
    coordinator = soleWriter,
  } = options;
  const settings = await prepareTables(open({ connections: 1, answerWithinMs: WRITE_WITHIN_MS }), options);
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
    { writeEveryMs, samplesPerTransaction: SAMPLES_PER_INSERT },
  );
  const limitWrites = createWriteLimit();
  const limitReads = createWorkQueue(READS);
  const { run, close } = createRunningCalls();
  const runRead = <T>(read: () => Promise<T>): Promise<T> => run(() => limitReads(() => explainLimits(read)));
  const shards = cluster === undefined ? soleShard(writeClient) : createShards(writeClient, cluster.name);
  const closing = new AbortController();
  const removal = {
    clickhouse: writeClient,
    shards,
    exclusively: <T>(step: () => Promise<T>) => queue.exclusively(() => coordinator.stopWrites(step)),
    onSeriesDeleted: () => series.clear(),
    closing: closing.signal,
  };

  return {
    countsRepeats: false,
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
    stats: () => run(() => readStats(shards)),
    close: async () => {
      const timer = setTimeout(() => closing.abort(), closeWithinMs);
      await close();
      clearTimeout(timer);
      await Promise.all([writeClient.close(), readClient.close()]);
    },
  };
};
