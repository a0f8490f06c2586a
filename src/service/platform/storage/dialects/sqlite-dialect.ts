import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type Dialect,
} from 'kysely';
import { SqliteDriver, WRITE, type SqliteFile } from './sqlite-driver.ts';
import {
  openSqlite,
  openSqliteReadOnly,
  shrinkSqlite,
  type DatabaseSync,
  type StatementSync,
} from './sqlite.ts';
import { createWalSync } from './wal-sync.ts';

class EmbeddedSqliteAdapter extends SqliteAdapter {
  /** SQLite runs DDL in transactions, so a migration that is killed leaves nothing half done. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
  /** The driver shares one connection, so that a transaction can begin while the disk saves the one before it. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Number of cached prepared statements. Above it, the cache is cleared. */
const MAX_STATEMENTS = 500;

/** Statements that change the columns of prepared ones. */
const SCHEMA_CHANGE = /^\s*(?:create|alter|drop)\b/i;

/**
 * SQLite prepares a statement again if a parameter that its plan may depend on is bound again: `limit ?`, `like ?`. Parameters in
 * expressions do not count.
 */
const withExpressions = (sql: string): string =>
  sql.replace(/\blimit \?(?!\d)/gi, '$& + 0').replace(/\blike \?(?!\d)/gi, "like (? || '')");

/**
 * With `begin`, a transaction that reads before it writes fails if another process writes meanwhile, whatever the
 * timeout (https://www.sqlite.org/lang_transaction.html). `begin immediate` waits before it reads.
 */
const written = (sql: string): string => (sql === 'begin' ? 'begin immediate' : withExpressions(sql));

/** Free pages returned to the disk at a time. Other statements wait meanwhile. */
const PAGES_PER_RECLAIM = 500;

/**
 * On a disk that can only be read, sessions and sign-in links are kept in memory, in temporary tables that hide the tables of the
 * same names in the file.
 */
const keepSessionsInMemory = (sqlite: DatabaseSync): void => {
  for (const table of ['session', 'signin'])
    sqlite.exec(
      `CREATE TEMP TABLE ${table} AS SELECT * FROM main.${table}; CREATE UNIQUE INDEX temp.${table}_by_digest ON ${table} (digest)`,
    );
};

/** Rows from their values. The objects of `node:sqlite` take twice as long to create, and longer to read. */
const rowsOf = (columns: readonly string[], all: readonly unknown[]): Record<string, unknown>[] =>
  all.map((values) => {
    const row: Record<string, unknown> = {};
    for (const [index, name] of columns.entries()) row[name] = (values as unknown[])[index];
    return row;
  });

/**
 * The size of the page cache. With SQLite's default of 2 MiB, a list of 50 devices with a tag reads 150 pages from the disk or the
 * cache of the system, if there are a million devices.
 */
const CACHE_KIB = 65_536;

/** Decides whether the database may write, and learns how its writes end. */
type WriteGuard = {
  /** @throws if the disk is full or read-only */
  requireWritable(): void;
  /** Returns the error to throw. */
  reportError(error: unknown): unknown;
  /** Adds a function that returns free pages to the disk. */
  reclaimWith(reclaim: () => Promise<void>): void;
};

/** The embedded database, in one file. Without `disk`, writes are not checked. */
export const sqliteDialect = (
  path: string,
  { disk, isReadOnly = false }: { disk?: WriteGuard; isReadOnly?: boolean } = {},
): Dialect => {
  const sqlite = isReadOnly ? openSqliteReadOnly(path) : openSqlite(path);
  sqlite.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  if (isReadOnly) keepSessionsInMemory(sqlite);
  else
    disk?.reclaimWith(async () => {
      if (sqlite.isOpen && !sqlite.isTransaction) shrinkSqlite(sqlite, PAGES_PER_RECLAIM);
    });
  const reportErrors = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw disk === undefined ? error : disk.reportError(error);
    }
  };
  const prepared = new Map<string, { statement: StatementSync; columns: readonly string[] }>();
  const prepare = (text: string) => {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const statement = sqlite.prepare(written(text));
    statement.setReturnArrays(true);
    const made = { statement, columns: statement.columns().map(({ name }) => name) };
    const isSchemaChange = SCHEMA_CHANGE.test(text);
    if (isSchemaChange || prepared.size >= MAX_STATEMENTS) prepared.clear();
    if (!isSchemaChange) prepared.set(text, made);
    return made;
  };
  const run = ({ sql: text, parameters }: CompiledQuery): ReturnType<SqliteFile['run']> => {
    if (WRITE.test(text)) disk?.requireWritable();
    const { statement, columns } = prepare(text);
    return reportErrors(() => {
      if (columns.length > 0) return { rows: rowsOf(columns, statement.all(...(parameters as never[]))) };
      const { changes, lastInsertRowid } = statement.run(...(parameters as never[]));
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    });
  };
  const walSync = createWalSync(`${path}-wal`, (error) => disk?.reportError(error));
  const file: SqliteFile = {
    run,
    get isInTransaction() {
      return sqlite.isTransaction;
    },
    sync: isReadOnly ? async () => undefined : walSync.sync,
    close: async () => {
      // Throws after a failed sync: closing the database would copy the log into it.
      await walSync.close();
      sqlite.close();
    },
  };
  return {
    createDriver: () => new SqliteDriver(file),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new EmbeddedSqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
};
