import { setTimeout as delay } from 'node:timers/promises';
import { nameDamage } from '../backup/inspect-files.ts';
import { openDatabase } from '../platform/storage/database.ts';
import type { DatabaseSync } from '../platform/storage/dialects/sqlite.ts';
import { DatabaseUnavailable } from '../platform/storage/dialects/database-unavailable.ts';
import { postgresDialect } from '../platform/storage/dialects/postgres-dialect.ts';
import { StorageFull, StoreBusy } from '../platform/storage/store-errors.ts';
import { TELEMETRY_SETTINGS } from '../telemetry/store/postgres/planner-settings.ts';
import type { ClickHouseAddress } from '../telemetry/store/clickhouse/clickhouse-address.ts';
import { ClickHouseFailure } from '../telemetry/store/clickhouse/clickhouse-failure.ts';
import type { PostgresDatabase } from '../platform/storage/postgres-database.ts';
import { openClickHouseSamples } from './clickhouse-samples.ts';
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
import type { SampleSource } from './sample-source.ts';
import { createPostgresSamples } from './postgres-samples.ts';
import type { SampleDestination } from './sample-destination.ts';
import { createSteps, MigrationStopped, type MigrationSteps, type Progress } from './migration-steps.ts';

/** Waits before the attempts after a lost connection: a minute in all. */
const RETRIES_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

export type MigrationDatabase = {
  readonly database: PostgresDatabase;
  /** In messages, such as “The database of --to at db.example.com:5432”. */
  readonly name: string;
};

/** A database of ClickHouse that receives the telemetry. */
export type MigrationClickHouse = { readonly clickhouse: ClickHouseAddress; readonly name: string };

export type Migration = {
  /** The telemetry. Its identity is that of everything that is copied. */
  readonly source: SampleSource;
  /** Undefined: the metadata stays where it is. */
  readonly metadata: { readonly from: DatabaseSync; readonly to: MigrationDatabase } | undefined;
  readonly telemetry: MigrationDatabase | MigrationClickHouse;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Called after each committed step. */
  readonly report: (progress: Progress) => void;
  /** Called before another attempt after a lost connection. */
  readonly onRetry: (error: DatabaseUnavailable | StoreBusy, waitMs: number) => void;
  readonly retriesMs?: readonly number[];
};

export type MigrationResult = {
  readonly tables: readonly ComparedTable[];
  readonly telemetry: Omit<SeriesComparison, 'differences'>;
};

type Open = {
  readonly metadata: (Destination & { readonly from: DatabaseSync }) | undefined;
  readonly telemetry: SampleDestination;
};

/** By its SQLSTATE. */
const isServerError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'code' in error && /^(?=.*\d)[0-9A-Z]{5}$/.test(String(error.code));

/** The product that reported an error: PostgreSQL by its SQLSTATE. */
const productOf = (error: unknown): 'PostgreSQL' | 'ClickHouse' | undefined => {
  if (error instanceof ClickHouseFailure || error instanceof StorageFull) return 'ClickHouse';
  return isServerError(error) ? 'PostgreSQL' : undefined;
};

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
      if (!(error instanceof DatabaseUnavailable || error instanceof StoreBusy)) throw error;
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

/** Runs work on the databases. @throws MigrationError for errors of a server */
const withDestinations = async <T>(
  { metadata, telemetry }: Migration,
  work: (open: Open) => Promise<T>,
): Promise<T> => {
  const closers: (() => Promise<void>)[] = [];
  const open = ({ database, name }: MigrationDatabase, content: Destination['content']): Destination => {
    const pool = database.openPool({ max: 1, settings: TELEMETRY_SETTINGS });
    closers.push(() => pool.end());
    return { pool, content, name };
  };
  const openSamples = async (): Promise<SampleDestination> => {
    if ('database' in telemetry)
      return createPostgresSamples(open(telemetry, 'telemetry'), telemetry.database);
    const samples = await openClickHouseSamples(telemetry.clickhouse, telemetry.name);
    closers.push(samples.close);
    return samples;
  };
  try {
    return await work({
      metadata: metadata && { ...open(metadata.to, 'metadata'), from: metadata.from },
      telemetry: await openSamples(),
    });
  } catch (error) {
    const product = productOf(error);
    if (product === undefined || !(error instanceof Error)) throw error;
    throw new MigrationError(
      `A statement failed in ${product} (${error.message.replace(/\.$/, '')}). Fix the problem, then run the same command again to continue.`,
      { cause: error },
    );
  } finally {
    for (const close of closers) await close();
  }
};

/** Creates the tables as a start of the service does. */
const createMetadataTables = async ({ database }: MigrationDatabase): Promise<void> =>
  (await openDatabase(postgresDialect(database.openPool({ max: 1 })))).destroy();

const compare = async (
  { source }: Migration,
  { metadata, telemetry }: Open,
  steps: MigrationSteps,
): Promise<MigrationResult> => {
  const tables = metadata === undefined ? [] : await compareTables(metadata.from, metadata.pool, steps);
  const { differences, ...compared } = await nameDamage('telemetry.db', () =>
    compareSeries(source, telemetry, steps),
  );
  const ofTables = tables.flatMap(({ difference }) => difference ?? []);
  const all = [...ofTables, ...differences];
  const products = [
    ...(ofTables.length > 0 ? ['PostgreSQL'] : []),
    ...(differences.length > 0 ? [telemetry.product] : []),
  ];
  if (all.length > 0)
    throw new MigrationError(
      `The data in ${[...new Set(products)].join(' and ')} differs from the source. ${all.join(' ')}`,
    );
  return { tables: tables.map(({ difference: _, ...table }) => table), telemetry: compared };
};

/** Compares a finished migration with its source. @throws MigrationError if they differ */
export const compareMigration = (migration: Migration): Promise<MigrationResult> => {
  const steps = createSteps(migration.signal, migration.report);
  return withRetries(migration, steps, () =>
    withDestinations(migration, async (open) => {
      if (open.metadata !== undefined) await requireMigrated(open.metadata);
      await open.telemetry.requireMigrated();
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
      const { metadata, telemetry } = open;
      if (metadata !== undefined) await requireDestination(metadata, source.identity);
      await telemetry.requireDestination(source.identity);
      if (metadata !== undefined) await beginMigration(metadata, source.identity, now());
      await telemetry.begin(source.identity, now());
      if (migration.metadata !== undefined) await createMetadataTables(migration.metadata.to);
      await telemetry.createTables();
      if (metadata !== undefined)
        await nameDamage('penstock.db', () => copyTables(metadata.from, metadata.pool, steps));
      await nameDamage('telemetry.db', () => copySamples(source, telemetry, steps));
      const result = await compare(migration, open, steps);
      // The metadata last: it decides whether the migration is finished.
      await telemetry.finish(now());
      if (metadata !== undefined) await finishMigration(metadata, now());
      return result;
    }),
  );
};
