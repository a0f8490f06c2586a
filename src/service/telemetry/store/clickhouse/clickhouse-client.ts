import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { ClickHouseAddress } from './clickhouse-address.ts';
import { explainClickHouse } from './clickhouse-failure.ts';
import { RowReader } from './row-binary.ts';

/**
 * A connection to ClickHouse.
 * @throws DatabaseUnavailable, StorageFull, StoreBusy, ClickHouseFailure
 */
export type ClickHouse = {
  /** Runs a statement without a result. */
  run(statement: string): Promise<void>;
  /** Inserts rows in RowBinary. @param into the table and its columns, such as `sample (ts, value)` */
  insert(into: string, rows: Buffer): Promise<void>;
  select(query: string): Promise<RowReader>;
  close(): Promise<void>;
};

/** By name, such as `max_execution_time`. */
export type ClickHouseSettings = Readonly<Record<string, string | number>>;

export type ClickHouseOptions = {
  readonly settings?: ClickHouseSettings;
  /** Requests at the same time. Further ones wait. */
  readonly connections: number;
  /** How long the server may take to answer. */
  readonly answerWithinMs: number;
  readonly onFailure?: (error: unknown) => void;
  readonly onAnswer?: () => void;
};

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

export const openClickHouse = (
  { origin, place, user, password, database }: ClickHouseAddress,
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
    run: async (query) => void (await explained(client.command({ query }))),
    insert: async (into, rows) => {
      const values = Readable.from([rows], { objectMode: false });
      await explained(exec(`insert into ${into}`, values));
    },
    select: async (query) => new RowReader(await explained(exec(query))),
    close: () => client.close(),
  };
};
