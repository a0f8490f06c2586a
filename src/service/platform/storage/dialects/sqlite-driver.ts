import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely';
import { ConnectionMutex } from './connection-mutex.ts';

type Rows = QueryResult<Record<string, unknown>>;

export type SqliteFile = {
  /** Runs a statement. It takes effect at once, or with the commit of the open transaction. */
  run(query: CompiledQuery): Rows;
  readonly isInTransaction: boolean;
  /** Resolves after all commits so far are on the disk. @throws SyncFailed */
  sync(): Promise<void>;
  close(): Promise<void>;
};

/** Matches statements that write, or may write. */
export const WRITE = /^\s*(?:begin|insert|update|delete|replace|create|alter|drop|with)\b/i;

const isWrite = ({ query, sql }: CompiledQuery): boolean =>
  query.kind !== 'SelectQueryNode' && WRITE.test(sql);

/** A transaction, or statements of their own, on the connection that all share. */
class SharedConnection implements DatabaseConnection {
  readonly #file: SqliteFile;
  readonly #mutex: ConnectionMutex;
  #isInTransaction = false;

  constructor(file: SqliteFile, mutex: ConnectionMutex) {
    this.#file = file;
    this.#mutex = mutex;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#isInTransaction) return this.#file.run(query) as QueryResult<R>;
    await this.#mutex.acquire('statement');
    let result: Rows;
    try {
      result = this.#file.run(query);
    } finally {
      this.#mutex.release();
    }
    if (isWrite(query)) await this.#file.sync();
    return result as QueryResult<R>;
  }

  async begin(): Promise<void> {
    await this.#mutex.acquire('transaction');
    try {
      this.#file.run(CompiledQuery.raw('begin'));
      this.#isInTransaction = true;
    } catch (error) {
      this.#mutex.release();
      throw error;
    }
  }

  /** The next transaction begins while the disk saves this one, so that both may share a sync. */
  async commit(): Promise<void> {
    this.#file.run(CompiledQuery.raw('commit'));
    this.#end();
    await this.#file.sync();
  }

  /** Does nothing after a commit whose sync failed. */
  rollback(): void {
    if (!this.#isInTransaction) return;
    try {
      // On a full disk, SQLite rolls back itself. A second rollback would hide the cause.
      if (this.#file.isInTransaction) this.#file.run(CompiledQuery.raw('rollback'));
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.#isInTransaction = false;
    this.#mutex.release();
  }

  streamQuery(): never {
    throw new Error('SQLite reads are not streamed: read pages instead.');
  }
}

/**
 * Runs all work on one connection, one transaction at a time. A write resolves after it is on the disk. Meanwhile the main
 * thread and other work go on: they may read a commit that is not on the disk yet.
 */
export class SqliteDriver implements Driver {
  readonly #file: SqliteFile;
  readonly #mutex = new ConnectionMutex();

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<SharedConnection> {
    return new SharedConnection(this.#file, this.#mutex);
  }
  beginTransaction(connection: SharedConnection): Promise<void> {
    return connection.begin();
  }
  commitTransaction(connection: SharedConnection): Promise<void> {
    return connection.commit();
  }
  async rollbackTransaction(connection: SharedConnection): Promise<void> {
    connection.rollback();
  }
  async releaseConnection(): Promise<void> {}
  destroy(): Promise<void> {
    return this.#file.close();
  }
}
