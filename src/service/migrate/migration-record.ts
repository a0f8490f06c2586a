import { commandLine } from '../platform/command-line.ts';
import { UnusableDatabase } from '../platform/storage/database.ts';
import { toIsoTime } from '../platform/iso-time.ts';
import type { PostgresClient, PostgresPool } from '../platform/storage/dialects/postgres-pool.ts';
import { VERSION } from '../platform/version.ts';
import { MigrationError } from './migration-error.ts';

/** A database that receives a part of the data, or all of it. Both parts may be in one database. */
export type Destination = {
  readonly pool: PostgresPool;
  readonly content: 'metadata' | 'telemetry';
  /** The database in messages, such as “The database of --to at db.example.com:5432”. */
  readonly name: string;
};

type Connection = Pick<PostgresClient, 'query'>;

/** A key in a table, or a position in the telemetry: JSON. `rows`: those copied so far. */
export type Position = { readonly position: unknown; readonly rows: number };

type RecordRow = { source: string; penstock: string; startedAt: number; finishedAt: number | null };

const CREATE = `
  create table if not exists data_migration (
    content text primary key, source text not null, penstock text not null, started_at bigint not null,
    finished_at bigint
  );
  create table if not exists data_migration_position (
    name text primary key, position text not null, rows bigint not null
  )`;

/** Names beyond these are counted. */
const NAMED_TABLES = 3;

const findRecord = async (pool: Connection, content: Destination['content']) => {
  const { rows: found } = await pool.query<{ exists: boolean }>(
    `select to_regclass('data_migration') is not null as exists`,
  );
  if (found[0]?.exists !== true) return undefined;
  const { rows } = await pool.query<RecordRow>(
    `select source, penstock, started_at as "startedAt", finished_at as "finishedAt"
     from data_migration where content = $1`,
    [content],
  );
  return rows[0];
};

/** The error that prevents a start while only a part of the data is copied. */
export const unfinishedMigration = (variable: string): UnusableDatabase =>
  new UnusableDatabase(
    `The database of ${variable} holds an unfinished migration. To continue the migration, run ${commandLine('migrate')} again, then start Penstock.`,
    { isFinal: true },
  );

/**
 * Prevents a start with a part of the data. @throws UnusableDatabase if a migration into the database is not finished
 */
export const requireFinishedMigration = async (
  pool: Connection,
  { variable, content }: { variable: string; content: Destination['content'] },
): Promise<void> => {
  const record = await findRecord(pool, content);
  if (record?.finishedAt === null) throw unfinishedMigration(variable);
};

/**
 * Tables, views and sequences of the schemas that the connection uses, without those of extensions and of the
 * migration.
 */
const FOUND = `
  select relname as name from pg_class
  where relnamespace in (select oid from pg_namespace where nspname = any (current_schemas(false)))
    and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    and relname not in ('data_migration', 'data_migration_position')
    and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
  order by relkind = 'S', relname`;

/** Says which tables a database contains that should be empty. */
export const describeFound = (name: string, tables: readonly string[]): string => {
  const named = tables.slice(0, NAMED_TABLES);
  const more = tables.length > named.length ? ` and ${tables.length - named.length} more` : '';
  return `${name} is not empty: it contains ${named.join(', ')}${more}. Specify an empty database.`;
};

const requireEmpty = async ({ pool, name }: Destination): Promise<void> => {
  const { rows } = await pool.query<{ name: string }>(FOUND);
  if (rows.length === 0) return;
  throw new MigrationError(
    describeFound(
      name,
      rows.map((row) => row.name),
    ),
  );
};

/** Checks that a record belongs to this migration, and that the migration is unfinished. @throws MigrationError */
export const requireUnfinished = (
  record: RecordRow,
  { name, content, source }: Pick<Destination, 'name' | 'content'> & { readonly source: string },
): void => {
  const { startedAt, finishedAt } = record;
  const started = `started ${toIsoTime(startedAt)} by Penstock ${record.penstock}`;
  // After a kill between the two records, only that of the telemetry is finished.
  const mayBeFinished = content === 'telemetry' && record.source === source;
  if (finishedAt !== null && !mayBeFinished)
    throw new MigrationError(
      `${name} holds a finished migration, ${started}. Start Penstock with it, compare it with --verify, or specify an empty database.`,
    );
  if (record.source !== source)
    throw new MigrationError(
      `${name} holds an unfinished migration of other data, or of this data before it changed, ${started}. Specify an empty database.`,
    );
  if (record.penstock !== VERSION)
    throw new MigrationError(
      `${name} holds an unfinished migration, ${started}; this is Penstock ${VERSION}. Continue with that version, or specify an empty database.`,
    );
};

/**
 * Checks that a database is empty, or holds this migration unfinished. @throws MigrationError that names what was found
 */
export const requireDestination = async (destination: Destination, source: string): Promise<void> => {
  const record = await findRecord(destination.pool, destination.content);
  if (record === undefined) return requireEmpty(destination);
  requireUnfinished(record, { ...destination, source });
};

/** @throws MigrationError if the migration of a record has not finished copying */
export const requireFinished = (record: Pick<RecordRow, 'finishedAt'> | undefined, name: string): void => {
  if (record !== undefined && record.finishedAt !== null) return;
  throw new MigrationError(
    `${name} holds no finished migration, so there is nothing to compare. Run the command without --verify.`,
  );
};

/** @throws MigrationError if no migration into the database has finished copying */
export const requireMigrated = async ({ pool, content, name }: Destination): Promise<void> =>
  requireFinished(await findRecord(pool, content), name);

/** Records that the migration has begun, before it creates other tables. A second call changes nothing. */
export const beginMigration = async (
  { pool, content }: Destination,
  source: string,
  now: number,
): Promise<void> => {
  await pool.query(CREATE);
  await pool.query(
    `insert into data_migration (content, source, penstock, started_at) values ($1, $2, $3, $4)
     on conflict (content) do nothing`,
    [content, source, VERSION, now],
  );
};

export const finishMigration = async ({ pool, content }: Destination, now: number): Promise<void> => {
  await pool.query('update data_migration set finished_at = $2 where content = $1', [content, now]);
};

export const findPosition = async (pool: Connection, name: string): Promise<Position | undefined> => {
  const { rows } = await pool.query<{ position: string; rows: number }>(
    'select position, rows from data_migration_position where name = $1',
    [name],
  );
  const [row] = rows;
  return row === undefined ? undefined : { position: JSON.parse(row.position), rows: row.rows };
};

/** Call it in the transaction that copies the rows. */
export const savePosition = async (
  client: Connection,
  name: string,
  { position, rows }: Position,
): Promise<void> => {
  await client.query(
    `insert into data_migration_position (name, position, rows) values ($1, $2, $3)
     on conflict (name) do update set position = excluded.position, rows = excluded.rows`,
    [name, JSON.stringify(position), rows],
  );
};
