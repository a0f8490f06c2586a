import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { requireFinishedMigration } from './migrate/migration-record.ts';
import { openDatabase, type Db } from './platform/storage/database.ts';
import type { PostgresAddress } from './platform/storage/dialects/postgres-address.ts';
import { postgresDialect } from './platform/storage/dialects/postgres-dialect.ts';
import { openPostgresPool } from './platform/storage/dialects/postgres-pool.ts';
import {
  explainPostgres,
  openPostgresDatabase,
  type OpenOptions,
  type PostgresDatabase,
} from './platform/storage/postgres-database.ts';
import type { DatabaseInUse, DatabaseTimeouts } from './platform/storage/postgres-lock.ts';
import type { OpenedTelemetry } from './telemetry/store/opened-telemetry.ts';
import { openPostgresTelemetryStore } from './telemetry/store/postgres/postgres-telemetry-store.ts';

export type PostgresDependencies = {
  config: Pick<Config, 'database' | 'metricsPerDevice'>;
  timeouts: DatabaseTimeouts;
  log: Logger;
  /** Called when another process uses the database too. Must end the process. */
  onDatabaseTaken: (error: DatabaseInUse) => void;
};

export type ServiceDatabase = {
  db: Db;
  /** Calls the listener after a time in which the database could not be reached. */
  onResumed(listener: () => void): void;
  close(): Promise<void>;
};

/** The IDs of the locks that a process holds in PostgreSQL. */
export const METADATA_LOCK = 7_365_737;
export const TELEMETRY_LOCK = 7_365_738;

/** Runs `open` on a database that this process alone uses, and closes that database if it throws. */
const withPostgres = async <T>(
  { timeouts, log, onDatabaseTaken }: PostgresDependencies,
  options: Pick<OpenOptions, 'address' | 'variable' | 'content' | 'lockId'>,
  open: (database: PostgresDatabase) => Promise<T>,
): Promise<T> => {
  const database = await openPostgresDatabase({ ...options, timeouts, log, onTaken: onDatabaseTaken });
  const openChecked = async () => {
    const pool = database.openPool({ max: 1 });
    await requireFinishedMigration(pool, options.variable);
    await pool.end();
    return open(database);
  };
  try {
    return await explainPostgres(options.address, options.variable, openChecked);
  } catch (error) {
    await database.close();
    throw error;
  }
};

/** @throws UnusableDatabase */
export const openPostgresMetadata = (
  address: PostgresAddress,
  dependencies: PostgresDependencies,
): Promise<ServiceDatabase> =>
  withPostgres(
    dependencies,
    { address, variable: 'DATABASE_URL', content: 'metadata', lockId: METADATA_LOCK },
    async ({ openPool, onResumed, close }) => ({
      db: await openDatabase(postgresDialect(openPool())),
      onResumed,
      close,
    }),
  );

/** Opens the metadata of a service that may be running. @throws UnusableDatabase */
export const openSharedMetadata = (address: PostgresAddress): Promise<Db> =>
  explainPostgres(address, 'DATABASE_URL', async () => {
    const pool = openPostgresPool(address);
    await requireFinishedMigration(pool, 'DATABASE_URL');
    return openDatabase(postgresDialect(pool), { mustExist: true });
  });

/** @throws UnusableDatabase */
export const openPostgresTelemetry = (
  address: PostgresAddress,
  dependencies: PostgresDependencies,
): Promise<OpenedTelemetry> => {
  const { database, metricsPerDevice } = dependencies.config;
  const options = {
    address,
    variable: database === address ? 'DATABASE_URL' : 'TELEMETRY_URL',
    content: 'telemetry' as const,
    lockId: TELEMETRY_LOCK,
  };
  return withPostgres(dependencies, options, async ({ openPool, onResumed, close }) => {
    const store = await openPostgresTelemetryStore(openPool, { metricsPerDevice, onResumed });
    return {
      store,
      close: async () => {
        await store.close();
        await close();
      },
    };
  });
};
