import { inPostgresTransaction, type PostgresPool } from '../platform/storage/dialects/postgres-pool.ts';
import { createSampleImport } from '../telemetry/store/postgres/sample-import.ts';
import { findPosition, savePosition } from './migration-record.ts';
import type { MigrationSource } from './migration-source.ts';
import type { MigrationSteps } from './migration-steps.ts';
import { FIRST_POSITION, readBatches, type SeriesPosition } from './sample-batches.ts';
import { lastNumberOf } from './source-tables.ts';

const TABLE = 'telemetry_sample';

/** Copies all series with their samples. Skips rows that an earlier call has copied. */
export const copySamples = async (
  source: MigrationSource,
  pool: PostgresPool,
  steps: MigrationSteps,
): Promise<void> => {
  const samples = createSampleImport(pool);
  const saved = await findPosition(pool, TABLE);
  const from = (saved?.position as SeriesPosition | undefined) ?? FIRST_POSITION;
  const total = source.store.samples;
  let done = saved?.rows ?? 0;
  for (const { parts, samples: count, next } of readBatches(source, from)) {
    await samples.createPartitions(parts);
    done += count;
    const position = { position: next, rows: done };
    await inPostgresTransaction(pool, async (client) => {
      if (parts.length > 0) await samples.insert(client, parts);
      await savePosition(client, TABLE, position);
    });
    steps.complete({ phase: 'copied', table: TABLE, done, total, unit: 'samples' });
  }
  await samples.setLastSeries(lastNumberOf(source.telemetry, 'series'));
  await pool.query('analyze telemetry_sample, telemetry_series');
};
