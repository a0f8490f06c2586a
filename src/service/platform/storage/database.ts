import { CompiledQuery, Kysely, sql, type ColumnType, type Dialect, type LogEvent } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration';
import { isPostgres } from './dialects/is-postgres.ts';
import { findSchema } from './dialects/migration-schema.ts';
import { describeNewerVersion } from './dialects/newer-version.ts';
import { findNewerMigration, migrations } from './migrations/migrations.ts';
import type { ReadOnlyState } from './read-only-state.ts';

/** Single facts about the service, by name. */
type FactTable = { name: string; value: ColumnType<string, string, string> };

/**
 * The tables of the metadata database. The file of each table adds its own (`devices/device-table.ts`). Times are epoch
 * ms, booleans 0 or 1, lists and records JSON text. Each store maps its rows once.
 */
export interface Schema {
  fact: FactTable;
}

/** The metadata database, or a transaction of it: the first parameter of every store function. */
export type Db = Kysely<Schema>;

/** This version of Penstock cannot use the data. The message says what to do. */
export class UnusableDatabase extends Error {
  override readonly name: string = 'UnusableDatabase';
  /** Whether each further start fails too until someone changes the data or the configuration. */
  readonly isFinal: boolean;
  constructor(message: string, { isFinal = false, ...options }: ErrorOptions & { isFinal?: boolean } = {}) {
    super(message, options);
    this.isFinal = isFinal;
  }
}

/**
 * Opens the metadata database and migrates it to the latest version. @throws the error of a failed migration;
 * UnusableDatabase if the database has a newer version, or an older one that may not be migrated, or is empty but must
 * exist
 * @param mustExist another process may be using the database, so it is not migrated
 */
export const openDatabase = async (
  dialect: Dialect,
  {
    readOnlyState,
    mustExist = false,
    onQuery,
  }: {
    readOnlyState?: ReadOnlyState | undefined;
    mustExist?: boolean;
    /** Called after each statement. */
    onQuery?: ((event: LogEvent) => void) | undefined;
  } = {},
): Promise<Db> => {
  const db = new Kysely<Schema>({ dialect, ...(onQuery !== undefined && { log: onQuery }) });
  try {
    await requireKnownVersion(db, mustExist);
    const migrator = await createMigrator(db);
    if (mustExist || readOnlyState !== undefined) {
      await requireMigrated(db, migrator, readOnlyState);
      return db;
    }
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
};

/** Opens another connection to a database that `openDatabase` has migrated. */
export const openMigratedDatabase = (dialect: Dialect): Db => new Kysely<Schema>({ dialect });

const createMigrator = async (db: Db): Promise<Migrator> => {
  // Without a schema, Kysely would use the table of another program in another schema.
  const schema = isPostgres(db) ? await findSchema(db, DEFAULT_MIGRATION_TABLE) : undefined;
  return new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    ...(schema !== undefined && { migrationTableSchema: schema }),
  });
};

/** Whether Penstock has stored metadata in a database before. */
const isMigrated = async (db: Db): Promise<boolean> => {
  if (!isPostgres(db)) {
    const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
    return tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE);
  }
  // Other schemas may hold the tables of other programs.
  const { rows } = await sql<{ isThere: boolean }>`
    select to_regclass(${DEFAULT_MIGRATION_TABLE}) is not null as "isThere"`.execute(db);
  return rows[0]?.isThere === true;
};

const nameOf = (db: Db): string => (isPostgres(db) ? 'The database of DATABASE_URL' : 'penstock.db');

const requireKnownVersion = async (db: Db, mustExist: boolean): Promise<void> => {
  if (!(await isMigrated(db))) {
    if (mustExist) throw new UnusableDatabase(`${nameOf(db)} is empty. Start Penstock once.`);
    return;
  }
  const { rows } = await sql<{
    name: string;
  }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db);
  const newer = findNewerMigration(rows.map(({ name }) => name));
  if (newer === undefined) return;
  const otherData = isPostgres(db) ? 'DATABASE_URL to another database' : undefined;
  throw new UnusableDatabase(describeNewerVersion(nameOf(db), newer, otherData), { isFinal: true });
};

const ROOM_FOR_MIGRATION = {
  full: 'is full. Free at least 16 MB',
  'read-only': 'is read-only. Make the disk writable',
};

const requireMigrated = async (
  db: Db,
  migrator: Migrator,
  state: ReadOnlyState | undefined,
): Promise<void> => {
  const all = await migrator.getMigrations();
  if (all.every(({ executedAt }) => executedAt !== undefined)) return;
  throw new UnusableDatabase(
    state === undefined
      ? `${nameOf(db)} was written by an older version of Penstock. Stop its processes, then start this version once, which migrates it.`
      : `penstock.db must be migrated to this version of Penstock, but the disk of DATA_DIR ${ROOM_FOR_MIGRATION[state]}, then start Penstock again.`,
  );
};

/** The ID of the PostgreSQL lock for writers: any number that nothing else uses. */
const WRITE_LOCK = 7_365_736;

/** The current or last write of each database. */
const lastWrite = new WeakMap<Db, Promise<unknown>>();

/**
 * Runs a write of more than one statement in a transaction. There is one writer at a time, so that reads in the
 * transaction still hold at the commit, and the event log has the order of the commits. SQLite guarantees this. For
 * PostgreSQL, a lock does between processes; within a process, writers wait here, where they hold no connection and
 * their follow-up work (such as stream frames) keeps its order.
 */
export const inWrite = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> => {
  if (!isPostgres(db)) return db.transaction().execute(work);
  const write = () =>
    db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${WRITE_LOCK})`.execute(tx);
      return work(tx);
    });
  const written = (lastWrite.get(db) ?? Promise.resolve()).then(write, write);
  lastWrite.set(db, written);
  return written;
};

/** Reads a fact about the service. */
export const findFact = async (db: Db, name: string): Promise<string | undefined> =>
  (await db.selectFrom('fact').select('value').where('name', '=', name).executeTakeFirst())?.value;

export const setFact = async (db: Db, name: string, value: string): Promise<void> => {
  await db
    .insertInto('fact')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
};

/** Writes a fact unless it exists. Returns the stored value. */
export const setFactOnce = async (db: Db, name: string, value: string): Promise<string> => {
  await db
    .insertInto('fact')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await findFact(db, name)) ?? value;
};

export const deleteFact = async (db: Db, name: string): Promise<void> => {
  await db.deleteFrom('fact').where('name', '=', name).execute();
};

/** True if the database answers. */
export const isAlive = (db: Db): Promise<boolean> =>
  db.executeQuery(CompiledQuery.raw('select 1')).then(
    () => true,
    () => false,
  );
