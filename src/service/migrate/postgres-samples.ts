import { inPostgresTransaction } from '../platform/storage/dialects/postgres-pool.ts';
import type { PostgresDatabase } from '../platform/storage/postgres-database.ts';
import { openPostgresTelemetryStore } from '../telemetry/store/postgres/postgres-telemetry-store.ts';
import { createSampleImport } from '../telemetry/store/postgres/sample-import.ts';
import {
  beginMigration,
  findPosition,
  finishMigration,
  requireDestination,
  requireMigrated,
  savePosition,
  type Destination,
} from './migration-record.ts';
import type { SampleDestination } from './sample-destination.ts';

const TABLE = 'telemetry_sample';
const SAMPLES_PER_BATCH = 20_000;

/** Telemetry in PostgreSQL. A position is saved in the transaction that inserts its samples. */
export const createPostgresSamples = (
  destination: Destination,
  database: PostgresDatabase,
): SampleDestination => {
  const { pool } = destination;
  const samples = createSampleImport(pool);
  return {
    product: 'PostgreSQL',
    requireDestination: (source) => requireDestination(destination, source),
    requireMigrated: () => requireMigrated(destination),
    begin: (source, now) => beginMigration(destination, source, now),
    createTables: async () => (await openPostgresTelemetryStore(database.openPool)).close(),
    findPosition: () => findPosition(pool, TABLE),
    samplesPerBatch: SAMPLES_PER_BATCH,
    insert: async (parts, position) => {
      await samples.createPartitions(parts);
      await inPostgresTransaction(pool, async (client) => {
        if (parts.length > 0) await samples.insert(client, parts);
        await savePosition(client, TABLE, position);
      });
    },
    completeCopy: async (lastSeries) => {
      await samples.setLastSeries(lastSeries);
      await pool.query('analyze telemetry_sample, telemetry_series');
    },
    read: samples.read,
    count: samples.count,
    finish: (now) => finishMigration(destination, now),
  };
};
