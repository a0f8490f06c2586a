import { SqliteAdapter, SqliteDialect, type Dialect, type SqliteStatement } from 'kysely';
import { openSqlite, openSqliteReadOnly, shrinkSqlite, type DatabaseSync } from './sqlite.ts';

/** SQLite runs DDL in transactions, so a migration that is killed leaves nothing half done. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalSqliteAdapter();
  }
}

/** Number of cached prepared statements. Above it, the cache is cleared. */
const MAX_STATEMENTS = 500;

/** On a full disk, SQLite rolls back itself. A second rollback would hide the cause. */
const nothingToRollBack: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [][Symbol.iterator](),
};

/**
 * With `begin`, a transaction that reads before it writes fails if another process writes meanwhile, whatever the
 * timeout (https://www.sqlite.org/lang_transaction.html). `begin immediate` waits before it reads.
 */
const written = (sql: string): string => (sql === 'begin' ? 'begin immediate' : sql);

/** Matches statements that write. */
const WRITE = /^(?:begin|insert|update|delete|replace|create|alter|drop|with)\b/i;

/** Free pages returned to the disk at a time. Other statements wait meanwhile. */
const PAGES_PER_RECLAIM = 500;

/**
 * On a read-only disk, sessions and sign-in links are kept in memory, in temporary tables that hide the tables of the
 * same names in the file.
 */
const keepSessionsInMemory = (sqlite: DatabaseSync): void => {
  for (const table of ['session', 'signin'])
    sqlite.exec(
      `CREATE TEMP TABLE ${table} AS SELECT * FROM main.${table}; CREATE UNIQUE INDEX temp.${table}_by_digest ON ${table} (digest)`,
    );
};

/** Decides whether the database may write, and learns how its writes end. */
type WriteGuard = {
  /** @throws if the disk is full or read-only */
  requireWritable(): void;
  reportError(error: unknown): void;
  /** Adds a function that returns free pages to the disk. */
  reclaimWith(reclaim: () => Promise<void>): void;
};

/** The embedded database, in one file. Without `disk`, writes are not checked. */
export const sqliteDialect = (
  path: string,
  { disk, isReadOnly = false }: { disk?: WriteGuard; isReadOnly?: boolean } = {},
): Dialect => {
  const sqlite = isReadOnly ? openSqliteReadOnly(path) : openSqlite(path);
  if (isReadOnly) keepSessionsInMemory(sqlite);
  else
    disk?.reclaimWith(async () => {
      if (sqlite.isOpen && !sqlite.isTransaction) shrinkSqlite(sqlite, PAGES_PER_RECLAIM);
    });
  const reportErrors = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      disk?.reportError(error);
      throw error;
    }
  };
  const statements = new Map<string, SqliteStatement>();
  const prepare = (sql: string): SqliteStatement => {
    if (sql === 'rollback' && !sqlite.isTransaction) return nothingToRollBack;
    if (WRITE.test(sql)) disk?.requireWritable();
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = sqlite.prepare(written(sql));
    const made: SqliteStatement = {
      reader: statement.columns().length > 0,
      all: (params) => reportErrors(() => statement.all(...(params as never[]))),
      run: (params) => reportErrors(() => statement.run(...(params as never[]))),
      iterate: (params) => statement.iterate(...(params as never[])),
    };
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    statements.set(sql, made);
    return made;
  };
  return new NodeSqliteDialect({ database: { close: () => sqlite.close(), prepare } });
};
