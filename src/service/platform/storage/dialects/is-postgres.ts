import { PostgresAdapter, type QueryExecutorProvider } from 'kysely';

/** Whether a database is PostgreSQL; otherwise it is SQLite. Asked only where the two have no SQL in common. */
export const isPostgres = (db: QueryExecutorProvider): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;
