import { VERSION } from '../platform/version.ts';
import type { ClickHouseAddress } from '../telemetry/store/clickhouse/clickhouse-address.ts';
import {
  createClickHouseOpener,
  type ClickHouse,
  type ClickHouseServers,
} from '../telemetry/store/clickhouse/clickhouse-client.ts';
import {
  findMigration,
  saveMigration,
  type ClickHouseMigration,
} from '../telemetry/store/clickhouse/clickhouse-migration.ts';
import { createClickHouseSampleImport } from '../telemetry/store/clickhouse/clickhouse-sample-import.ts';
import {
  createTelemetryTables,
  findSessionSettings,
} from '../telemetry/store/clickhouse/clickhouse-schema.ts';
import { MigrationError } from './migration-error.ts';
import { describeFound, requireFinished, requireUnfinished, type Position } from './migration-record.ts';
import type { SampleDestination } from './sample-destination.ts';

/** Each insert creates a file for each month. */
const SAMPLES_PER_BATCH = 100_000;
/** The comparison counts all samples in one statement. */
const ANSWER_WITHIN_MS = 3_600_000;

const listTables = async (server: ClickHouse): Promise<string[]> => {
  const rows = await server.select(
    `select name from system.tables where database = currentDatabase() and name != 'data_migration' order by name`,
  );
  const names: string[] = [];
  while (rows.hasMore) names.push(rows.text());
  return names;
};

/**
 * Telemetry in ClickHouse. A position is saved after its samples. After a kill between the two, the samples are inserted
 * again, which changes nothing.
 */
export const openClickHouseSamples = async (
  address: ClickHouseAddress,
  name: string,
): Promise<SampleDestination & { close(): Promise<void> }> => {
  const connect = createClickHouseOpener(address);
  const first = connect({ connections: 1, answerWithinMs: ANSWER_WITHIN_MS });
  let clickhouse: ClickHouseServers;
  try {
    const settings = await findSessionSettings(first, address.cluster?.insertQuorum);
    clickhouse = connect({ connections: 1, answerWithinMs: ANSWER_WITHIN_MS, settings });
  } finally {
    await first.close();
  }
  const samples = createClickHouseSampleImport(clickhouse);
  /** The first server of the URL has the record. */
  const server = clickhouse.list().find(({ place }) => place === address.servers[0]?.place)!;
  const change = async (changes: Partial<ClickHouseMigration>): Promise<void> => {
    const saved = await findMigration(server);
    if (saved !== undefined) await saveMigration(server, { ...saved, ...changes });
  };
  return {
    product: 'ClickHouse',
    requireDestination: async (source) => {
      const record = await findMigration(server);
      if (record !== undefined) return requireUnfinished(record, { name, source, content: 'telemetry' });
      for (const each of clickhouse.list()) {
        const tables = await listTables(each);
        if (tables.length > 0) throw new MigrationError(describeFound(name, tables));
      }
    },
    requireMigrated: async () => requireFinished(await findMigration(server), name),
    begin: async (source, now) => {
      if ((await findMigration(server)) === undefined)
        await saveMigration(server, {
          source,
          penstock: VERSION,
          startedAt: now,
          finishedAt: null,
          position: null,
          rows: 0,
        });
    },
    createTables: async () => void (await createTelemetryTables(clickhouse, address.cluster)),
    findPosition: async (): Promise<Position | undefined> => {
      const record = await findMigration(server);
      return record?.position == null
        ? undefined
        : { position: JSON.parse(record.position) as unknown, rows: record.rows };
    },
    samplesPerBatch: SAMPLES_PER_BATCH,
    insert: async (parts, { position, rows }) => {
      if (parts.length > 0) await samples.insert(parts);
      await change({ position: JSON.stringify(position), rows });
    },
    completeCopy: async () => undefined,
    read: samples.read,
    count: samples.count,
    finish: (now) => change({ finishedAt: now }),
    close: () => clickhouse.close(),
  };
};
