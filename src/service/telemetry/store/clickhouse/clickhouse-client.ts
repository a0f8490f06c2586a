import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { codeOf, DatabaseUnavailable } from '../../../platform/storage/dialects/database-unavailable.ts';
import type { ClickHouseAddress, ClickHouseServerAddress } from './clickhouse-address.ts';
import { explainClickHouse, isOtherServerUnavailable } from './clickhouse-failure.ts';
import { RowReader } from './row-binary.ts';

/**
 * A connection to ClickHouse.
 * @throws DatabaseUnavailable, StorageFull, StoreBusy, ClickHouseFailure
 */
export type ClickHouse = {
  /** The host and port, for messages. */
  readonly place: string;
  /** Runs a statement without a result. */
  run(statement: string): Promise<void>;
  /** Inserts rows in RowBinary. @param into the table and its columns, such as `sample (ts, value)` */
  insert(into: string, rows: Buffer): Promise<void>;
  select(query: string): Promise<RowReader>;
  close(): Promise<void>;
};

/** Uses one server, and the next one when the server does not answer. */
export type ClickHouseServers = ClickHouse & {
  /** A client for each server, the one in use first. */
  list(): readonly ClickHouse[];
};

/** By name, such as `max_execution_time`. */
export type ClickHouseSettings = Readonly<Record<string, string | number>>;

export type ClickHouseOptions = {
  readonly settings?: ClickHouseSettings;
  /** Requests at the same time to each server. Further ones wait. */
  readonly connections: number;
  /** How long the server may take to answer. */
  readonly answerWithinMs: number;
  readonly onFailure?: (error: unknown) => void;
  readonly onAnswer?: () => void;
};

export type OpenClickHouse = (options: ClickHouseOptions) => ClickHouseServers;

/**
 * Statements name every series: they may be long. The server answers after it has computed the whole result, so no
 * error follows the first rows.
 */
const SETTINGS = {
  max_query_size: String(64 * 1024 * 1024),
  max_ast_elements: '10000000',
  max_expanded_ast_elements: '10000000',
  wait_end_of_query: 1,
} as const;

const ignored = (): void => undefined;

const openServer = (
  { origin, place }: ClickHouseServerAddress,
  { user, password, database }: ClickHouseAddress,
  { settings = {}, connections, answerWithinMs, onFailure = ignored, onAnswer = ignored }: ClickHouseOptions,
): ClickHouse => {
  const client = createClient({
    url: origin,
    username: user,
    password,
    database,
    application: 'penstock',
    max_open_connections: connections,
    request_timeout: answerWithinMs,
    clickhouse_settings: { ...SETTINGS, ...settings },
    // Callers log failures.
    log: { level: ClickHouseLogLevel.OFF },
  });
  const explained = async <T>(call: Promise<T>): Promise<T> => {
    try {
      const answer = await call;
      onAnswer();
      return answer;
    } catch (error) {
      const explanation = explainClickHouse(error, place);
      onFailure(explanation);
      throw explanation;
    }
  };
  const exec = async (query: string, values?: Readable): Promise<Buffer> => {
    const { stream } = await client.exec({ query: `${query} format RowBinary`, ...(values && { values }) });
    return buffer(stream);
  };
  return {
    place,
    run: async (query) => void (await explained(client.command({ query }))),
    insert: async (into, rows) => {
      const values = Readable.from([rows], { objectMode: false });
      await explained(exec(`insert into ${into}`, values));
    },
    select: async (query) => new RowReader(await explained(exec(query))),
    close: () => client.close(),
  };
};

/** Errors that occur before the server has received the statement. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

const isSent = ({ cause }: DatabaseUnavailable): boolean =>
  !(cause instanceof Error && NOT_SENT.has(codeOf(cause)));

/**
 * Returns a function that opens connections to the servers of an address. All connections use the same server until it
 * fails, so that reads return earlier writes, which other replicas may not have yet.
 */
export const createClickHouseOpener = (address: ClickHouseAddress): OpenClickHouse => {
  let inUse = 0;
  return (options) => {
    const servers = address.servers.map((server) => openServer(server, address, options));
    /** @param mayRepeat whether the server may run the work twice */
    const onServer = async <T>(work: (server: ClickHouse) => Promise<T>, mayRepeat: boolean): Promise<T> => {
      for (let attempt = 1; ; attempt += 1) {
        const used = inUse;
        try {
          return await work(servers[used]!);
        } catch (error) {
          if (!(error instanceof DatabaseUnavailable) || isOtherServerUnavailable(error)) throw error;
          // Another call may have changed the server meanwhile.
          if (inUse === used) inUse = (used + 1) % servers.length;
          if (attempt === servers.length || (!mayRepeat && isSent(error))) throw error;
        }
      }
    };
    return {
      place: address.place,
      run: (statement) => onServer((server) => server.run(statement), false),
      insert: (into, rows) => onServer((server) => server.insert(into, rows), false),
      select: (query) => onServer((server) => server.select(query), true),
      list: () => [...servers.slice(inUse), ...servers.slice(0, inUse)],
      close: async () => void (await Promise.all(servers.map((server) => server.close()))),
    };
  };
};
