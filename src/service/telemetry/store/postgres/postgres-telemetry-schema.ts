import { Kysely, sql } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { UnusableDatabase } from '../../../platform/storage/database.ts';
import { findSchema } from '../../../platform/storage/dialects/migration-schema.ts';
import { requireKnownMigrations, type ExpectedSchema } from '../../../platform/storage/same-schema.ts';
import { postgresDialect } from '../../../platform/storage/dialects/postgres-dialect.ts';
import type { PostgresPool } from '../../../platform/storage/dialects/postgres-pool.ts';

const MIGRATION_TABLE = 'telemetry_migration';

/**
 * A sample has a number, 0 or 1 for a boolean, or a text in JSON: PostgreSQL cannot store every text (NUL), JSON can
 * escape it. `telemetry_partition` counts the samples of each partition.
 */
const samples: Migration = {
  up: async (db: Kysely<unknown>) => {
    await sql`
      create table telemetry_series (
        id integer generated always as identity primary key,
        device text collate "C" not null,
        metric text collate "C" not null,
        kind smallint not null,
        unit text,
        unique (device, metric)
      )`.execute(db);
    await sql`
      create table telemetry_sample (
        series integer not null,
        ts bigint not null,
        value double precision,
        text text,
        primary key (series, ts)
      ) partition by range (ts)`.execute(db);
    await sql`
      create table telemetry_partition (
        name text primary key,
        from_ts bigint not null,
        to_ts bigint not null,
        samples bigint not null
      )`.execute(db);
  },
};

/**
 * Counts removals of series, so that no process writes to a series that another one removed. The ID tells processes
 * that share their metadata whether they share their telemetry.
 */
const generation: Migration = {
  up: async (db: Kysely<unknown>) => {
    await sql`create table telemetry_generation (
        value bigint not null,
        database_id uuid not null default gen_random_uuid()
      )`.execute(db);
    await sql`insert into telemetry_generation (value) values (0)`.execute(db);
  },
};

/** All versions of the schema, oldest first. Released versions are never edited. */
const migrations: Record<string, Migration> = {
  '0001-samples': samples,
  '0002-generation': generation,
};

/** The schema of telemetry, as running processes expect it. */
export const TELEMETRY_SCHEMA: ExpectedSchema = {
  table: MIGRATION_TABLE,
  migrations,
  database: 'The database of telemetry',
  otherPlace: 'TELEMETRY_URL to another database',
};

/**
 * Creates or migrates the tables of telemetry. @throws UnusableDatabase if they have a newer version, or if they are missing
 * or have an older version and `mayMigrate` is false
 */
export const migrateTelemetry = async (
  pool: PostgresPool,
  { mayMigrate = true }: { mayMigrate?: boolean } = {},
): Promise<void> => {
  // Never destroyed: that would close the pool.
  const db = new Kysely<unknown>({ dialect: postgresDialect(pool) });
  const { rows } = await pool.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [
    MIGRATION_TABLE,
  ]);
  const executed =
    rows[0]?.exists === true
      ? (await pool.query<{ name: string }>(`select name from ${MIGRATION_TABLE}`)).rows
      : [];
  requireKnownMigrations(executed, TELEMETRY_SCHEMA);
  if (executed.length === Object.keys(migrations).length) return;
  if (!mayMigrate && executed.length === 0)
    throw new UnusableDatabase(
      `${TELEMETRY_SCHEMA.database} is empty, but other Penstock processes use its metadata. Set TELEMETRY_URL to the same URL as for these processes.`,
    );
  if (!mayMigrate)
    throw new UnusableDatabase(
      `${TELEMETRY_SCHEMA.database} was written by an older version of Penstock. Stop its processes, then start this version once, which migrates it.`,
    );
  const schema = await findSchema(db, MIGRATION_TABLE);
  const { error } = await new Migrator({
    db,
    ...(schema !== undefined && { migrationTableSchema: schema }),
    provider: { getMigrations: async () => migrations },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: `${MIGRATION_TABLE}_lock`,
  }).migrateToLatest();
  if (error !== undefined) throw error;
};
