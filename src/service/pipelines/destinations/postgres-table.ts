import { DatabaseError, type Client } from 'pg';
import type { SpooledSample } from './destination.ts';

const UNDEFINED_TABLE = '42P01';
/** What `create table if not exists` answers where another connection makes it at the same moment. */
const MADE_MEANWHILE = ['42P07', '23505', '42710'];
/** Ends a transaction whose client has gone without a word. */
const STATEMENT_TIMEOUT_MS = 60_000;

export const isWithoutTable = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === UNDEFINED_TABLE;

/** PostgreSQL's text holds no NUL (https://www.postgresql.org/docs/current/datatype-character.html): its picture stands for it. */
const storable = (text: string): string => text.replaceAll('\0', '\u2400').toWellFormed();

/** The shortest text that reads back as the same number; JavaScript's own leaves out the sign of -0. */
const numberText = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));

type Row = { ts: string; device: string; metric: string; value: string | boolean; kind: string };

/** A row for each (device, metric, ts): the last value wins. */
const rowsOf = (samples: readonly SpooledSample[]): Row[] => {
  const rows = new Map<string, Row>();
  for (const { device: id, ts: at, values } of samples) {
    const [device, ts] = [storable(id), new Date(at).toISOString()];
    for (const [name, value] of Object.entries(values)) {
      const metric = storable(name);
      const text = typeof value === 'number' ? numberText(value) : value;
      const stored = typeof text === 'string' ? storable(text) : text;
      rows.set(JSON.stringify([device, metric, ts]), {
        ts,
        device,
        metric,
        value: stored,
        kind: typeof value,
      });
    }
  }
  return [...rows.values()];
};

const quoted = (table: string): string =>
  table
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');

/**
 * A narrow table, a row a value, keyed as the samples are: a metric that is new needs no new column, and the key finds
 * one series over a range. The column that fits the value's kind is filled, the others are null.
 */
export const postgresTable = (table: string) => {
  const name = quoted(table);
  // In the order of the key, so that two deliveries at once never wait for each other's rows crosswise.
  const upsert = `
    insert into ${name} as stored (ts, device, metric, value, text, flag)
    select ts, device, metric, value, text, flag
    from unnest($1::timestamptz[], $2::text[], $3::text[], $4::float8[], $5::text[], $6::boolean[])
      as given (ts, device, metric, value, text, flag)
    order by device, metric, ts
    on conflict (device, metric, ts) do update
    set value = excluded.value, text = excluded.text, flag = excluded.flag
    where (stored.value, stored.text, stored.flag) is distinct from (excluded.value, excluded.text, excluded.flag)`;
  const create = `
    create table if not exists ${name} (
      ts timestamptz not null,
      device text not null,
      metric text not null,
      value double precision,
      text text,
      flag boolean,
      primary key (device, metric, ts)
    )`;
  // Committed means on disk, also where the server is set to answer sooner.
  const begin = `
    begin;
    set local statement_timeout = ${STATEMENT_TIMEOUT_MS};
    select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`;

  const inTransaction = async (
    client: Client,
    end: 'commit' | 'rollback',
    sql: string,
    values?: unknown[],
  ) => {
    try {
      await client.query(begin);
      await client.query(sql, values);
      await client.query(end);
    } catch (error) {
      // Where the connection is lost, so is the transaction.
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  };

  const columnsOf = (samples: readonly SpooledSample[]): unknown[] => {
    const rows = rowsOf(samples);
    const ofKind = (kind: string) => rows.map((row) => (row.kind === kind ? row.value : null));
    return [
      rows.map(({ ts }) => ts),
      rows.map(({ device }) => device),
      rows.map(({ metric }) => metric),
      ofKind('number'),
      ofKind('string'),
      ofKind('boolean'),
    ];
  };

  return {
    /** Writes all or nothing; a value that is there already is left alone, another one is overwritten. */
    write: (client: Client, samples: readonly SpooledSample[]) =>
      inTransaction(client, 'commit', upsert, columnsOf(samples)),
    create: (client: Client) =>
      inTransaction(client, 'commit', create).catch((error: unknown) => {
        if (!(error instanceof DatabaseError && MADE_MEANWHILE.includes(error.code ?? ''))) throw error;
      }),
    /** What `write` would meet with, its rights and the table's shape included; nothing is written. */
    tryWrite: (client: Client) => inTransaction(client, 'rollback', upsert, columnsOf([])),
    tryCreate: (client: Client) => inTransaction(client, 'rollback', create),
  };
};
