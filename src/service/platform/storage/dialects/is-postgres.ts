import { PostgresAdapter, type QueryExecutorProvider } from 'kysely';

/** Whether a database is PostgreSQL; otherwise it is SQLite. Only for SQL that differs between the two. */
export const isPostgres = (db: QueryExecutorProvider): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;
