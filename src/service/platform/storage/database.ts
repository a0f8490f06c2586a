import { CompiledQuery, Kysely, sql, type ColumnType, type Dialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { isPostgres } from './dialects/is-postgres.ts';
import { migrations } from './migrations/migrations.ts';

/** Single facts about the service, by name. */
type FactTable = { name: string; value: ColumnType<string, string, string> };

/**
 * The tables of the metadata database. The file of each table adds its own (`devices/device-table.ts`). Times are epoch ms,
 * booleans 0 or 1, lists and records JSON text. Each store maps its rows once.
 */
export interface Schema {
  fact: FactTable;
}

/** The metadata database, or a transaction of it: the first parameter of every store function. */
export type Db = Kysely<Schema>;

/** The database has an older version, and cannot be migrated because the disk is read-only. */
export class OutdatedDatabase extends Error {
  override readonly name = 'OutdatedDatabase';
}

/**
 * Opens the metadata database and migrates it to the latest version. @throws the error of a failed migration;
 * OutdatedDatabase if `isReadOnly` and the database has an older version
 */
export const openDatabase = async (dialect: Dialect, { isReadOnly = false } = {}): Promise<Db> => {
  const db = new Kysely<Schema>({ dialect });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = isReadOnly ? await findOutdated(migrator) : await migrator.migrateToLatest();
  if (error !== undefined) {
    await db.destroy();
    throw error;
  }
  return db;
};

const findOutdated = async (migrator: Migrator): Promise<{ error?: unknown }> => {
  const all = await migrator.getMigrations();
  if (all.every(({ executedAt }) => executedAt !== undefined)) return {};
  return {
    error: new OutdatedDatabase(
      'The disk of DATA_DIR is read-only, and penstock.db was written by an older version of Penstock. Make the disk writable, then start Penstock again.',
    ),
  };
};

/** Name of the lock under which PostgreSQL has one writer at a time: any number that nothing else uses. */
const WRITE_LOCK = 7_365_736;

/** What each database writes now, or wrote last. */
const lastWrite = new WeakMap<Db, Promise<unknown>>();

/**
 * The one way to write more than one statement. One writer at a time: what was read in the transaction still holds when
 * it commits, and the order of the event log is the order of the commits. SQLite has that by its nature. PostgreSQL has
 * it between processes by a lock; within one the writers wait here, where they hold no connection and what follows a
 * commit (telling streams of it) keeps its order.
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

/** True where the database answers. */
export const isAlive = (db: Db): Promise<boolean> =>
  db.executeQuery(CompiledQuery.raw('select 1')).then(
    () => true,
    () => false,
  );
