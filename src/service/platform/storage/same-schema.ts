import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import type { QueryResult, QueryResultRow } from 'pg';
import { UnusableDatabase } from './database.ts';
import { describeNewerVersion } from './dialects/newer-version.ts';
import { migrations } from './migrations/migrations.ts';

type Queryable = { query<R extends QueryResultRow>(text: string): Promise<QueryResult<R>> };

/** The schema that a running process expects in its database. */
export type ExpectedSchema = {
  /** The table of executed migrations. */
  table: string;
  migrations: Readonly<Record<string, unknown>>;
  /** For messages, such as “The database of DATABASE_URL”. */
  database: string;
  /** What to set instead, such as “DATABASE_URL to another database”. */
  otherPlace: string;
};

/** The schema of the metadata, as running processes expect it. */
export const METADATA_SCHEMA: ExpectedSchema = {
  table: DEFAULT_MIGRATION_TABLE,
  migrations,
  database: 'The database of DATABASE_URL',
  otherPlace: 'DATABASE_URL to another database',
};

/** @throws UnusableDatabase if a newer version of Penstock executed one of the migrations */
export const requireKnownMigrations = (
  executed: readonly { readonly name: string }[],
  { migrations: known, database, otherPlace }: ExpectedSchema,
): void => {
  const newer = executed.find(({ name }) => !(name in known));
  if (newer !== undefined)
    throw new UnusableDatabase(describeNewerVersion(database, newer.name, otherPlace), { isFinal: true });
};

/**
 * Checks the schema after an outage, during which another version may have migrated the database, or an operator may
 * have replaced it. @throws UnusableDatabase
 */
export const requireSameSchema = async (client: Queryable, schema: ExpectedSchema): Promise<void> => {
  const { table, migrations: known, database } = schema;
  const { rows } = await client.query<{ name: string }>(`select name from ${table}`);
  requireKnownMigrations(rows, schema);
  if (rows.length < Object.keys(known).length)
    throw new UnusableDatabase(
      `${database} was replaced by data of an older version of Penstock. Start Penstock again, which migrates it.`,
    );
};
