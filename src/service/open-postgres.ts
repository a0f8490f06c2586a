import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { requireFinishedMigration } from './migrate/migration-record.ts';
import {
  deleteFact,
  openMigratedDatabase,
  openDatabase,
  setFactOnce,
  UnusableDatabase,
  type Db,
} from './platform/storage/database.ts';
import { METADATA_SCHEMA } from './platform/storage/same-schema.ts';
import { startLease, type Lease, type LeaseTimeouts } from './platform/storage/lease.ts';
import type { PostgresAddress } from './platform/storage/dialects/postgres-address.ts';
import { postgresDialect } from './platform/storage/dialects/postgres-dialect.ts';
import { openPostgresPool, type PoolOptions } from './platform/storage/dialects/postgres-pool.ts';
import {
  explainPostgres,
  openPostgresDatabase,
  type OpenOptions,
  type PostgresDatabase,
} from './platform/storage/postgres-database.ts';
import type { DatabaseTimeouts } from './platform/storage/postgres-lock.ts';
import { createPeers, PEER_CHANNEL, type Peers } from './platform/peers.ts';
import type { Tracing } from './platform/tracing.ts';
import type { OpenedTelemetry } from './telemetry/store/opened-telemetry.ts';
import { TELEMETRY_SCHEMA } from './telemetry/store/postgres/postgres-telemetry-schema.ts';
import { createWriteCoordinator } from './telemetry/store/postgres/postgres-write-coordinator.ts';
import type { WriteCoordinator } from './telemetry/store/write-coordinator.ts';
import { openPostgresTelemetryStore } from './telemetry/store/postgres/postgres-telemetry-store.ts';

export type PostgresDependencies = {
  config: Pick<Config, 'database' | 'telemetry' | 'metricsPerDevice'>;
  timeouts: DatabaseTimeouts & LeaseTimeouts;
  log: Logger;
  tracing: Pick<Tracing, 'onQuery'>;
  /** Called when this process can no longer use the database. Must end the process. */
  onDatabaseUnusable: (error: UnusableDatabase) => void;
};

export type ServiceDatabase = {
  db: Db;
  /** For the work that one process does. */
  lease: Lease;
  /** Undefined: this process has the database for itself. */
  peers: Peers | undefined;
  /** Opens the coordinator of writes to telemetry on a server without locks. */
  openCoordinator(): WriteCoordinator;
  /** Calls the listener after a time in which the database could not be reached. */
  onResumed(listener: () => void): void;
  close(): Promise<void>;
};

/** The IDs of the locks that a process holds in PostgreSQL. */
export const METADATA_LOCK = 7_365_737;
export const TELEMETRY_LOCK = 7_365_738;

/** Name of the fact that holds which database has the telemetry. */
const TELEMETRY_FACT = 'telemetry-database';

/** Several processes share the data if all of it is on servers. */
const mayShare = ({ database, telemetry }: PostgresDependencies['config']): boolean =>
  database !== undefined && telemetry !== undefined;

/** A process that hangs in a transaction must not keep the locks of others, and loses them with its lease. */
const endHangingTransactions = ({ timeouts }: Pick<PostgresDependencies, 'timeouts'>): string =>
  `set idle_in_transaction_session_timeout = ${timeouts.leaseMs}`;

/** Runs `open` on a database, and closes that database if it throws. */
const withPostgres = async <T>(
  { config, timeouts, log, onDatabaseUnusable }: PostgresDependencies,
  options: Pick<OpenOptions, 'address' | 'variable' | 'content' | 'lockId' | 'listen' | 'schema'>,
  open: (database: PostgresDatabase) => Promise<T>,
): Promise<T> => {
  const database = await openPostgresDatabase({
    ...options,
    mayShare: mayShare(config),
    timeouts,
    log,
    onUnusable: onDatabaseUnusable,
  });
  const openChecked = async () => {
    const pool = database.openPool({ max: 1 });
    await requireFinishedMigration(pool, options);
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
): Promise<ServiceDatabase> => {
  const { config, log } = dependencies;
  const listeners: ((payload: string) => void)[] = [];
  const onPayload = (payload: string) => listeners.forEach((listener) => listener(payload));
  const options = {
    address,
    variable: 'DATABASE_URL',
    content: 'metadata' as const,
    lockId: METADATA_LOCK,
    schema: METADATA_SCHEMA,
    listen: { channel: PEER_CHANNEL, onPayload },
  };
  return withPostgres(dependencies, options, async ({ openPool, onResumed, isAlone, share, close }) => {
    // The schema changes only while no other process uses it.
    const db = await openDatabase(
      postgresDialect(openPool({ settings: endHangingTransactions(dependencies) })),
      {
        mustExist: !isAlone,
        onQuery: dependencies.tracing.onQuery,
      },
    );
    // The telemetry may have moved while no process was running.
    if (isAlone) await deleteFact(db, TELEMETRY_FACT);
    // The lease must not wait for requests that use all connections.
    const leaseDb = openMigratedDatabase(
      postgresDialect(openPool({ max: 1, settings: endHangingTransactions(dependencies) })),
    );
    const lease = await startLease({ ...dependencies, db: leaseDb, isAlone });
    // For shared writes, removals and the creation of series at the same time.
    const openCoordinator = () => createWriteCoordinator(openPool({ max: 3 }));
    const opened = { db, lease, openCoordinator, onResumed, close };
    if (!mayShare(config)) return { ...opened, peers: undefined };
    const peers = createPeers({ db, log, onPayload: (listener) => void listeners.push(listener) });
    await share();
    return { ...opened, peers };
  });
};

/** Opens the metadata of a service that may be running. @throws UnusableDatabase */
export const openSharedMetadata = (address: PostgresAddress): Promise<Db> =>
  explainPostgres(address, 'DATABASE_URL', async () => {
    const pool = openPostgresPool(address);
    await requireFinishedMigration(pool, { variable: 'DATABASE_URL', content: 'metadata' });
    return openDatabase(postgresDialect(pool), { mustExist: true });
  });

/** Processes that share their metadata share their telemetry. @throws UnusableDatabase */
export const requireSameTelemetry = async (db: Db, id: string, variable: string): Promise<void> => {
  // Of several processes that start at the same time, the first one decides.
  if ((await setFactOnce(db, TELEMETRY_FACT, id)) !== id)
    throw new UnusableDatabase(
      `${variable} names a different telemetry database from the one that the running Penstock processes use. Set ${variable} to the same URL as for these processes.`,
    );
};

const readDatabaseId = async (openPool: PostgresDatabase['openPool']): Promise<string> => {
  const pool = openPool({ max: 1 });
  const { rows } = await pool.query<{ id: string }>('select database_id as id from telemetry_generation');
  await pool.end();
  return rows[0]?.id ?? '';
};

/** @throws UnusableDatabase */
export const openPostgresTelemetry = (
  address: PostgresAddress,
  dependencies: PostgresDependencies,
  db: Db,
): Promise<OpenedTelemetry> => {
  const { database, metricsPerDevice } = dependencies.config;
  const options = {
    address,
    variable: database === address ? 'DATABASE_URL' : 'TELEMETRY_URL',
    content: 'telemetry' as const,
    lockId: TELEMETRY_LOCK,
    schema: TELEMETRY_SCHEMA,
  };
  return withPostgres(dependencies, options, async ({ openPool, onResumed, isAlone, share, close }) => {
    const open = ({ settings = '', ...limits }: PoolOptions) =>
      openPool({ ...limits, settings: `${settings}; ${endHangingTransactions(dependencies)}` });
    const store = await openPostgresTelemetryStore(open, {
      metricsPerDevice,
      onResumed,
      mayMigrate: isAlone,
    });
    await requireSameTelemetry(db, await readDatabaseId(openPool), options.variable);
    if (mayShare(dependencies.config)) await share();
    return {
      store,
      close: async () => {
        await store.close();
        await close();
      },
    };
  });
};
