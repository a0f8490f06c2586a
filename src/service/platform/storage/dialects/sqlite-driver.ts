import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely';

type Rows = QueryResult<Record<string, unknown>>;

export type SqliteFile = {
  /** Runs a statement. It takes effect at once, or with the commit of the open transaction. */
  run(query: CompiledQuery): Rows;
  readonly isInTransaction: boolean;
  /** Resolves after all commits so far are on the disk. @throws SyncFailed */
  sync(): Promise<void>;
  close(): Promise<void>;
};

/** Held during a transaction or a statement. Others wait in the order of their arrival. */
const createTurns = () => {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  return {
    take: async (): Promise<void> => {
      if (isTaken) await new Promise<void>((resolve) => waiting.push(resolve));
      isTaken = true;
    },
    end: (): void => {
      const next = waiting.shift();
      if (next === undefined) isTaken = false;
      else next();
    },
  };
};

const isWrite = ({ query, sql }: CompiledQuery): boolean =>
  query.kind !== 'SelectQueryNode' && /^(?:insert|update|delete|replace|create|alter|drop|with)\b/i.test(sql);

/** A transaction, or statements of their own, on the connection that all share. */
class SharedConnection implements DatabaseConnection {
  readonly #file: SqliteFile;
  readonly #turns: ReturnType<typeof createTurns>;
  #isInTransaction = false;

  constructor(file: SqliteFile, turns: ReturnType<typeof createTurns>) {
    this.#file = file;
    this.#turns = turns;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#isInTransaction) return this.#file.run(query) as QueryResult<R>;
    await this.#turns.take();
    let result: Rows;
    try {
      result = this.#file.run(query);
    } finally {
      this.#turns.end();
    }
    if (isWrite(query)) await this.#file.sync();
    return result as QueryResult<R>;
  }

  async begin(): Promise<void> {
    await this.#turns.take();
    try {
      this.#file.run(CompiledQuery.raw('begin'));
      this.#isInTransaction = true;
    } catch (error) {
      this.#turns.end();
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
    this.#turns.end();
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
  readonly #turns = createTurns();

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<SharedConnection> {
    return new SharedConnection(this.#file, this.#turns);
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
