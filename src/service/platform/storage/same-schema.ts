import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import type { QueryResult, QueryResultRow } from 'pg';
import { UnusableDatabase } from './database.ts';
import { describeNewerVersion } from './dialects/newer-version.ts';
import { migrations } from './migrations/migrations.ts';

type Queryable = { query<R extends QueryResultRow>(text: string): Promise<QueryResult<R>> };

/** How a running process recognises that the schema of a database is still its own. */
export type ExpectedSchema = {
  /** The table of the migrations that were executed. */
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

/**
 * For a process that could not reach its database, which another version may have migrated meanwhile, or a person may have
 * replaced. @throws UnusableDatabase
 */
export const requireSameSchema = async (
  client: Queryable,
  { table, migrations: known, database, otherPlace }: ExpectedSchema,
): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(`select name from ${table}`);
  const newer = rows.find(({ name }) => !(name in known));
  if (newer !== undefined)
    throw new UnusableDatabase(describeNewerVersion(database, newer.name, otherPlace), { isFinal: true });
  if (rows.length < Object.keys(known).length)
    throw new UnusableDatabase(
      `${database} was replaced by data of an older version of Penstock. Start Penstock again, which migrates it.`,
    );
};
