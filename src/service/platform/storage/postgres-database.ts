import type { Logger } from 'pino';
import { UnusableDatabase } from './database.ts';
import { createFailureLog, isCertificateFault, whenReady } from './database-outages.ts';
import { codeOf, DatabaseUnavailable } from './dialects/database-unavailable.ts';
import type { PostgresAddress } from './dialects/postgres-address.ts';
import { openPostgresPool, type PoolOptions, type PostgresPool } from './dialects/postgres-pool.ts';
import type { ExpectedSchema } from './same-schema.ts';
import { holdDatabase, type DatabaseLock, type DatabaseTimeouts } from './postgres-lock.ts';

/** Declarative partitions with upserts and ordered scans, and `pg_trgm` without a superuser. */
const LEAST_VERSION = 13;

export type PostgresDatabase = {
  /** Opens connections, which end with the database at the latest. */
  openPool(options?: PoolOptions): PostgresPool;
  /** Calls the listener when the server answers again, before any other call reaches it. */
  onResumed(listener: () => void): void;
  /** No other process uses the database, until `share`. */
  readonly isAlone: boolean;
  /** Lets other processes use the database too. */
  share(): Promise<void>;
  close(): Promise<void>;
};

export type OpenOptions = {
  address: PostgresAddress;
  /** The variable of the address, for messages. */
  variable: string;
  /** What the database is for, for the log. */
  content: 'metadata' | 'telemetry';
  lockId: number;
  /** Whether several processes may use the database. */
  mayShare: boolean;
  /** A channel to listen to, and what to call with each payload. */
  listen?: { channel: string; onPayload: (payload: string) => void } | undefined;
  /** The schema that this process expects; undefined: the caller migrates data into the database. */
  schema?: ExpectedSchema | undefined;
  timeouts: DatabaseTimeouts;
  log: Logger;
  onUnusable: (error: UnusableDatabase) => void;
};

/** By SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const explainState = (code: string, { place, database = '' }: PostgresAddress, variable: string) => {
  switch (code) {
    case '28000':
    case '28P01':
      return `PostgreSQL at ${place} rejects the user or the password of ${variable}. Correct them, or allow the user in pg_hba.conf`;
    case '3D000':
      return `PostgreSQL at ${place} has no database "${database}". Create it, or set ${variable} to another`;
    case '42501':
      return `The user of ${variable} cannot create tables or the extension pg_trgm at ${place}. Make the user the owner of the database, or create the extension and grant CREATE on the schema`;
    case '3F000':
      return `The search_path of ${variable} names no schema that exists at ${place}. Create the schema`;
    case '0A000':
    case '58P01':
      return `PostgreSQL at ${place} lacks an extension. Install its contrib package, which contains pg_trgm`;
    default:
      return undefined;
  }
};

const explainClient = (error: Error, { place }: PostgresAddress, variable: string): string | undefined => {
  if (error instanceof DatabaseUnavailable)
    return `No PostgreSQL server answers at ${place}. Start it, or correct ${variable}`;
  if (error.message.includes('does not support SSL'))
    return `PostgreSQL at ${place} does not support TLS. Enable TLS on the server, or set sslmode=disable in ${variable}`;
  if (isCertificateFault(error))
    return `The certificate of PostgreSQL at ${place} is not trusted. Set sslrootcert=FILE in ${variable} to the certificate of the authority, and use the host name of the certificate`;
  if (error.message.includes('password must be a string'))
    return `PostgreSQL at ${place} requires a password. Add it to ${variable}`;
  return undefined;
};

/**
 * Runs the first work on a database. @throws UnusableDatabase with one line that says what to do, and errors that are
 * not known. No message contains a password
 */
export const explainPostgres = async <T>(
  address: PostgresAddress,
  variable: string,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const line = explainState(codeOf(error), address, variable) ?? explainClient(error, address, variable);
    if (line === undefined) throw error;
    const reason = error instanceof DatabaseUnavailable ? error.reason : error.message;
    throw new UnusableDatabase(`${line} (${reason.replace(/\.$/, '')}).`, { cause: error });
  }
};

const requireUsable = async (
  pool: PostgresPool,
  { address, variable, log }: Pick<OpenOptions, 'address' | 'variable' | 'log'>,
): Promise<void> => {
  const { rows } = await pool.query<Record<'version' | 'encoding' | 'fsync', string>>(
    `select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
       current_setting('fsync') as fsync`,
  );
  const { version = '', encoding = '', fsync = '' } = rows[0] ?? {};
  if (Number.parseInt(version, 10) < LEAST_VERSION)
    throw new UnusableDatabase(
      `PostgreSQL at ${address.place} is version ${version}. Penstock needs ${LEAST_VERSION} or newer.`,
      { isFinal: true },
    );
  if (encoding !== 'UTF8')
    throw new UnusableDatabase(
      `The database of ${variable} has the encoding ${encoding}. Create one with the encoding UTF8.`,
      { isFinal: true },
    );
  if (fsync === 'off')
    log.warn(
      { database: address.place },
      'fsync is off in PostgreSQL: a power failure may lose acknowledged writes and damage the database',
    );
};

/**
 * Opens a PostgreSQL database for this process alone, or shared with others. It waits for a server that starts,
 * reconnects after the server has restarted, and rejects calls in between. @throws UnusableDatabase, DatabaseInUse
 */
export const openPostgresDatabase = (options: OpenOptions): Promise<PostgresDatabase> => {
  const { address, variable } = options;
  return explainPostgres(address, variable, async () => {
    let lock: DatabaseLock | undefined;
    const listeners: (() => void)[] = [];
    const pools: PostgresPool[] = [];
    const logged = { ...options, product: 'PostgreSQL', place: address.place };
    const onFailure = createFailureLog(logged);
    const openPool = (limits: PoolOptions = {}): PostgresPool => {
      const pool = openPostgresPool(address, {
        ...limits,
        requireHeld: () => lock?.requireHeld(),
        onFailure,
      });
      pools.push(pool);
      return pool;
    };
    const onLost = () => pools.forEach((pool) => pool.drop());
    const onResumed = () => listeners.forEach((listener) => listener());
    lock = await whenReady(logged, () => holdDatabase({ ...options, onLost, onResumed }));
    const close = async (): Promise<void> => {
      await Promise.all(pools.map((pool) => pool.end()));
      await lock?.close();
    };
    try {
      const pool = openPool({ max: 1 });
      await requireUsable(pool, options);
      await pool.end();
      const { isAlone, share } = lock;
      return { openPool, onResumed: (listener) => void listeners.push(listener), isAlone, share, close };
    } catch (error) {
      await close();
      throw error;
    }
  });
};
