import { sql, type QueryExecutorProvider } from 'kysely';

/** In PostgreSQL, the schema of a table in the search path, or else the one where it would be created. */
export const findSchema = async (db: QueryExecutorProvider, table: string): Promise<string | undefined> => {
  const { rows } = await sql<{ schema: string | null }>`
    select coalesce(
      (select nspname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
       where pg_class.oid = to_regclass(${table})),
      current_schema()
    ) as schema`.execute(db);
  return rows[0]?.schema ?? undefined;
};
