import { Socket } from 'node:net';
import {
  Client,
  Pool,
  types,
  type ClientBase,
  type ClientConfig,
  type PoolClient,
  type QueryResult,
  type QueryResultRow,
} from 'pg';
import { DatabaseUnavailable, explainUnavailable } from './database-unavailable.ts';
import type { PostgresAddress } from './postgres-address.ts';

const CONNECT_WITHIN_MS = 10_000;
/** For queries on the connection of a lock. */
const ANSWER_WITHIN_MS = 10_000;

const { INT8, NUMERIC } = types.builtins;

const readNumber = (text: string): number => {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new RangeError(`The database returned ${text}, which is beyond 2^53.`);
  return number;
};

/** A connection that waits for the disk at each commit, and whose errors tell whether the server is gone. */
export type PostgresClient = {
  query<R extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<QueryResult<R>>;
  release(isBroken?: boolean): void;
};

export type PostgresPool = {
  /** @throws DatabaseUnavailable */
  connect(): Promise<PostgresClient>;
  query<R extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<QueryResult<R>>;
  /** Breaks every connection. Calls that wait for the server or for a connection fail. */
  drop(): void;
  end(): Promise<void>;
  /** For kysely, which reads it only to cancel a query. */
  readonly options: object;
};

const ignored = (): void => undefined;

const clientConfig = ({
  host,
  port,
  user,
  password,
  database,
  options,
  tls,
}: PostgresAddress): ClientConfig => ({
  host,
  ...(port !== undefined && { port }),
  ...(user !== undefined && { user }),
  ...(password !== undefined && { password }),
  ...(database !== undefined && { database }),
  ...(options !== undefined && { options }),
  ssl: tls,
  application_name: 'penstock',
  connectionTimeoutMillis: CONNECT_WITHIN_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: CONNECT_WITHIN_MS,
  types: {
    // 64-bit integers and sums are numbers, as in SQLite.
    getTypeParser: (oid, format) =>
      oid === INT8 || oid === NUMERIC ? readNumber : types.getTypeParser(oid, format),
  },
});

/**
 * Lets the server notice within a minute that this machine is gone, so that it ends transactions and locks. Not every socket has
 * these settings.
 */
const NOTICE_LOSS = `
  select set_config(name, setting, false)
  from (values ('tcp_keepalives_idle', '30'), ('tcp_keepalives_interval', '10'), ('tcp_keepalives_count', '3'))
    as wanted (name, setting)
  where inet_client_addr() is not null`;

/**
 * Opens one connection, for a lock. The caller ends it. A query that is not answered in time fails: the network may break
 * unnoticed at any moment. @throws DatabaseUnavailable
 */
export const openPostgresClient = async (address: PostgresAddress): Promise<Client> => {
  const client = new Client({ ...clientConfig(address), query_timeout: ANSWER_WITHIN_MS });
  client.on('error', ignored);
  try {
    await client.connect();
    await client.query(NOTICE_LOSS);
    return client;
  } catch (error) {
    throw explainUnavailable(error, address.place);
  }
};

/** A commit waits for the disk, also where the server is configured otherwise. */
const WAIT_FOR_DISK = `select set_config('synchronous_commit', 'on', false)
  where current_setting('synchronous_commit') = 'off'`;

/** Runs before the first use of each connection, which waits for it. The types of `pg` do not say so. */
const prepareBy = (settings: string) => ({
  onConnect: (client: ClientBase) => client.query(`${WAIT_FOR_DISK}; ${NOTICE_LOSS}; ${settings}`),
});

/** @property settings statements that each connection runs first */
export type PoolOptions = { max?: number; settings?: string };

/**
 * Connections to a database, at most `max` at a time. A broken connection fails its query, and the next call opens another.
 * @param requireHeld throws if this process may not use the database at the moment
 * @param onFailure called with the error of each failed call, unless `drop` broke the connection
 */
export const openPostgresPool = (
  address: PostgresAddress,
  {
    max = 8,
    settings = '',
    requireHeld = ignored,
    onFailure = ignored,
  }: PoolOptions & {
    requireHeld?: () => void;
    onFailure?: (error: unknown) => void;
  } = {},
): PostgresPool => {
  const sockets = new Set<Socket>();
  const stream = (): Socket => {
    const socket = new Socket();
    sockets.add(socket);
    return socket.once('close', () => sockets.delete(socket));
  };
  const pool = new Pool({
    ...clientConfig(address),
    max,
    stream,
    ...prepareBy(settings),
  });
  // A broken connection fails its query. An idle one is replaced when needed.
  pool.on('error', ignored).on('connect', (client) => client.on('error', ignored));

  let drops = 0;
  const explained = async <T>(call: Promise<T>): Promise<T> => {
    const before = drops;
    try {
      return await call;
    } catch (error) {
      const explanation = explainUnavailable(error, address.place);
      if (drops === before) onFailure(explanation);
      throw explanation;
    }
  };
  const guarded = (client: PoolClient): PostgresClient => ({
    query: (text, values) => explained(client.query(text, values === undefined ? undefined : [...values])),
    release: (isBroken) => client.release(isBroken),
  });
  let ending: Promise<void> | undefined;
  const connect = async (): Promise<PostgresClient> => {
    requireHeld();
    if (ending !== undefined) throw new DatabaseUnavailable(address.place, 'the connections are closed');
    const before = drops;
    const client = await explained(pool.connect());
    if (drops === before) return guarded(client);
    client.release(true);
    throw new DatabaseUnavailable(address.place, 'the connection was lost');
  };
  return {
    connect,
    query: async (text, values) => {
      const client = await connect();
      try {
        return await client.query(text, values);
      } finally {
        client.release();
      }
    },
    drop: () => {
      drops += 1;
      for (const socket of sockets) socket.destroy();
    },
    end: () => (ending ??= pool.end()),
    options: {},
  };
};

/** Runs `work` in a transaction and rolls back if it throws. @param settings statements that the transaction begins with */
export const inPostgresTransaction = async <T>(
  pool: PostgresPool,
  work: (client: PostgresClient) => Promise<T>,
  settings = '',
): Promise<T> => {
  const client = await pool.connect();
  try {
    await client.query(`begin; ${settings}`);
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    const isBroken = await client.query('rollback').then(
      () => false,
      () => true,
    );
    client.release(isBroken);
    throw error;
  }
};
