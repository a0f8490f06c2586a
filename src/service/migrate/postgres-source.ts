import { createHash } from 'node:crypto';
import type { PostgresDatabase } from '../platform/storage/postgres-database.ts';
import { TELEMETRY_SETTINGS } from '../telemetry/store/postgres/planner-settings.ts';
import { migrateTelemetry } from '../telemetry/store/postgres/postgres-telemetry-schema.ts';
import { createSampleScan, SCAN_SETTINGS } from '../telemetry/store/postgres/sample-scan.ts';
import { MigrationError } from './migration-error.ts';
import { requireFinishedMigration } from './migration-record.ts';
import { readPostgresBatches } from './postgres-batches.ts';
import type { SampleSource } from './sample-source.ts';

/**
 * Telemetry in PostgreSQL, which the connections of this source cannot change. The database must be open for this
 * process alone.
 * @param variable the option of its address
 * @throws MigrationError, UnusableDatabase
 */
export const openPostgresSource = async (
  { openPool }: Pick<PostgresDatabase, 'openPool'>,
  { name, variable }: { name: string; variable: string },
): Promise<SampleSource> => {
  const pool = openPool({ max: 1, settings: `${TELEMETRY_SETTINGS}; ${SCAN_SETTINGS}` });
  await requireFinishedMigration(pool, { variable, content: 'telemetry' });
  const { rows } = await pool.query<{ exists: boolean }>(
    `select to_regclass('telemetry_series') is not null as exists`,
  );
  if (rows[0]?.exists !== true)
    throw new MigrationError(
      `${name} contains no telemetry. Specify the database that contains it with ${variable}.`,
    );
  await migrateTelemetry(pool, { mayMigrate: false });
  const scan = createSampleScan(pool);
  const content = await scan.describe();
  return {
    place: 'PostgreSQL',
    identity: createHash('sha256').update(JSON.stringify(content)).digest('hex'),
    samples: content.partitions.reduce((sum, { samples }) => sum + samples, 0),
    lastSeries: content.lastSeries,
    readBatches: (from, samplesPerBatch) => readPostgresBatches(scan, from, samplesPerBatch),
  };
};
