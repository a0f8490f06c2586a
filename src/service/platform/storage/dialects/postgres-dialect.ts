import { PostgresDialect, type Dialect, type PostgresPool as KyselyPool } from 'kysely';
import type { PostgresPool } from './postgres-pool.ts';

/** The metadata, or the schema of telemetry, in PostgreSQL. */
export const postgresDialect = (pool: PostgresPool): Dialect =>
  // Kysely also takes cursors, which no query here uses.
  new PostgresDialect({ pool: pool as unknown as KyselyPool });
