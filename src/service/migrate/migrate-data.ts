import { setTimeout as delay } from 'node:timers/promises';
import { nameDamage } from '../backup/inspect-files.ts';
import { openDatabase } from '../platform/storage/database.ts';
import { DatabaseUnavailable } from '../platform/storage/dialects/database-unavailable.ts';
import { postgresDialect } from '../platform/storage/dialects/postgres-dialect.ts';
import { TELEMETRY_SETTINGS } from '../telemetry/store/postgres/planner-settings.ts';
import { openPostgresTelemetryStore } from '../telemetry/store/postgres/postgres-telemetry-store.ts';
import type { PostgresDatabase } from '../platform/storage/postgres-database.ts';
import { compareSeries, type SeriesComparison } from './compare-series.ts';
import { compareTables, type ComparedTable } from './compare-tables.ts';
import { copySamples } from './copy-samples.ts';
import { copyTables } from './copy-tables.ts';
import { MigrationError } from './migration-error.ts';
import {
  beginMigration,
  finishMigration,
  requireDestination,
  requireMigrated,
  type Destination,
} from './migration-record.ts';
import type { MigrationSource } from './migration-source.ts';
import { createSteps, MigrationStopped, type MigrationSteps, type Progress } from './migration-steps.ts';

/** Waits before the attempts after a lost connection: a minute in all. */
const RETRIES_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

export type MigrationDatabase = {
  readonly database: PostgresDatabase;
  /** In messages, such as “The database of --to at db.example.com:5432”. */
  readonly name: string;
};

export type Migration = {
  readonly source: MigrationSource;
  readonly metadata: MigrationDatabase;
  readonly telemetry: MigrationDatabase;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Called after each committed step. */
  readonly report: (progress: Progress) => void;
  /** Called before another attempt after a lost connection. */
  readonly onRetry: (error: DatabaseUnavailable, waitMs: number) => void;
  readonly retriesMs?: readonly number[];
};

export type MigrationResult = {
  readonly tables: readonly ComparedTable[];
  readonly telemetry: Omit<SeriesComparison, 'differences'>;
};

type Open = { readonly metadata: Destination; readonly telemetry: Destination };

/** By its SQLSTATE. */
const isServerError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'code' in error && /^(?=.*\d)[0-9A-Z]{5}$/.test(String(error.code));

/** Repeats work that resumes where it stopped, until the server has been away for a minute. */
const withRetries = async <T>(
  { signal, onRetry, retriesMs = RETRIES_MS }: Migration,
  steps: MigrationSteps,
  work: () => Promise<T>,
): Promise<T> => {
  let [attempts, countBefore] = [0, 0];
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      if (steps.count > countBefore) attempts = 0;
      countBefore = steps.count;
      const waitMs = retriesMs[attempts];
      if (waitMs === undefined)
        throw new MigrationError(
          `${error.message.replace(/\.$/, '')}. When the server answers, run the same command again to continue.`,
          { cause: error },
        );
      attempts += 1;
      onRetry(error, waitMs);
      await delay(waitMs, undefined, { signal }).catch(() => {
        throw new MigrationStopped('The migration was stopped.');
      });
    }
  }
};

/** Runs work on both databases. @throws MigrationError for errors of the server */
const withDestinations = async <T>(
  { metadata, telemetry }: Migration,
  work: (open: Open) => Promise<T>,
): Promise<T> => {
  const pools = [metadata, telemetry].map(({ database }) =>
    database.openPool({ max: 1, settings: TELEMETRY_SETTINGS }),
  );
  try {
    return await work({
      metadata: { pool: pools[0]!, content: 'metadata', name: metadata.name },
      telemetry: { pool: pools[1]!, content: 'telemetry', name: telemetry.name },
    });
  } catch (error) {
    if (!isServerError(error)) throw error;
    throw new MigrationError(
      `A statement failed in PostgreSQL (${error.message.replace(/\.$/, '')}). Fix the problem, then run the same command again to continue.`,
      { cause: error },
    );
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
};

/** Creates the tables as a start of the service does. */
const createTables = async ({ metadata, telemetry }: Migration): Promise<void> => {
  await (await openDatabase(postgresDialect(metadata.database.openPool({ max: 1 })))).destroy();
  await (await openPostgresTelemetryStore(telemetry.database.openPool)).close();
};

const compare = async (
  { source }: Migration,
  { metadata, telemetry }: Open,
  steps: MigrationSteps,
): Promise<MigrationResult> => {
  const tables = await compareTables(source.metadata, metadata.pool, steps);
  const { differences, ...compared } = await nameDamage('telemetry.db', () =>
    compareSeries(source, telemetry.pool, steps),
  );
  const all = [...tables.flatMap(({ difference }) => difference ?? []), ...differences];
  if (all.length > 0)
    throw new MigrationError(`The data in PostgreSQL differs from the source. ${all.join(' ')}`);
  return { tables: tables.map(({ difference: _, ...table }) => table), telemetry: compared };
};

/** Compares a finished migration with its source. @throws MigrationError if they differ */
export const compareMigration = (migration: Migration): Promise<MigrationResult> => {
  const steps = createSteps(migration.signal, migration.report);
  return withRetries(migration, steps, () =>
    withDestinations(migration, async (open) => {
      await requireMigrated(open.metadata);
      await requireMigrated(open.telemetry);
      return compare(migration, open, steps);
    }),
  );
};

/**
 * Copies the data of an installation into empty databases, or continues to, and compares both. @throws MigrationError,
 * MigrationStopped, BackupError if a file is damaged
 */
export const migrateData = (migration: Migration): Promise<MigrationResult> => {
  const { source, now, signal, report } = migration;
  const steps = createSteps(signal, report);
  return withRetries(migration, steps, () =>
    withDestinations(migration, async (open) => {
      const destinations = [open.metadata, open.telemetry];
      for (const destination of destinations) await requireDestination(destination, source.identity);
      for (const destination of destinations) await beginMigration(destination, source.identity, now());
      await createTables(migration);
      await nameDamage('penstock.db', () => copyTables(source.metadata, open.metadata.pool, steps));
      await nameDamage('telemetry.db', () => copySamples(source, open.telemetry.pool, steps));
      const result = await compare(migration, open, steps);
      // The metadata last: it decides whether the migration is finished.
      for (const destination of destinations.toReversed()) await finishMigration(destination, now());
      return result;
    }),
  );
};
