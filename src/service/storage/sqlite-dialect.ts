import { SqliteAdapter, SqliteDialect, type Dialect, type SqliteStatement } from 'kysely';
import { openSqlite } from './sqlite.ts';

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

/** Prepared statements that are kept; beyond that all are dropped and made anew. */
const MAX_STATEMENTS = 500;

/** SQLite rolls back by itself where the disk is full; rolling back once more would hide that cause. */
const nothingToRollBack: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [][Symbol.iterator](),
};

/**
 * A transaction that reads first and writes then does not wait for another process that writes meanwhile, whatever the
 * timeout: https://www.sqlite.org/lang_transaction.html. This one waits before it reads.
 */
const written = (sql: string): string => (sql === 'begin' ? 'begin immediate' : sql);

/** The embedded database, in one file. */
export const sqliteDialect = (path: string): Dialect => {
  const sqlite = openSqlite(path);
  const statements = new Map<string, SqliteStatement>();
  const prepare = (sql: string): SqliteStatement => {
    if (sql === 'rollback' && !sqlite.isTransaction) return nothingToRollBack;
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = sqlite.prepare(written(sql));
    const made: SqliteStatement = {
      reader: statement.columns().length > 0,
      all: (params) => statement.all(...(params as never[])),
      run: (params) => statement.run(...(params as never[])),
      iterate: (params) => statement.iterate(...(params as never[])),
    };
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    statements.set(sql, made);
    return made;
  };
  return new NodeSqliteDialect({ database: { close: () => sqlite.close(), prepare } });
};
