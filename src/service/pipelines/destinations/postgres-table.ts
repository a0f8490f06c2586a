import type { Client } from 'pg';
import type { SpooledSamples } from './destination.ts';
import { isServerError } from './postgres-failure.ts';
import { toIsoTime } from '../../platform/iso-time.ts';
import { storableText } from '../../platform/storage/storable-text.ts';

const UNDEFINED_TABLE = '42P01';
/** Errors of `create table if not exists` if another connection creates the table at the same time. */
const CREATED_MEANWHILE = ['42P07', '23505', '42710'];
/** Ends the transaction of a client that disappeared. */
const STATEMENT_TIMEOUT_MS = 60_000;

export const isWithoutTable = (error: unknown): boolean =>
  isServerError(error) && error.code === UNDEFINED_TABLE;

/** The shortest text that parses to the same number. `String` would omit the sign of -0. */
const numberText = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));

type Row = { ts: string; device: string; metric: string; value: string | boolean; kind: string };

/** One row per (device, metric, ts). The last sample wins. */
const rowsOf = (samples: readonly SpooledSamples[]): Row[] => {
  const rows = new Map<string, Row>();
  for (const { device: id, ts: at, values } of samples) {
    const [device, ts] = [storableText(id), toIsoTime(at)];
    for (const [name, value] of Object.entries(values)) {
      const metric = storableText(name);
      const text = typeof value === 'number' ? numberText(value) : value;
      const stored = typeof text === 'string' ? storableText(text) : text;
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
 * A narrow table with one row per sample and the key (device, metric, ts): new metrics need no new column, and the key
 * finds one series over a range. The column for the kind of the value is set; the others are null.
 */
export const postgresTable = (table: string) => {
  const name = quoted(table);
  // In the order of the key, so that two concurrent deliveries cannot deadlock.
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
  // A commit waits for the disk, even if the server is configured otherwise.
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
      // A lost connection also ends the transaction.
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  };

  const columnsOf = (samples: readonly SpooledSamples[]): unknown[] => {
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
    /** Writes all samples or none. Equal stored samples stay, others are overwritten. */
    write: (client: Client, samples: readonly SpooledSamples[]) =>
      inTransaction(client, 'commit', upsert, columnsOf(samples)),
    create: (client: Client) =>
      inTransaction(client, 'commit', create).catch((error: unknown) => {
        if (!(isServerError(error) && CREATED_MEANWHILE.includes(error.code ?? ''))) throw error;
      }),
    /** Checks what `write` needs, including permissions and the columns of the table. Writes nothing. */
    tryWrite: (client: Client) => inTransaction(client, 'rollback', upsert, columnsOf([])),
    tryCreate: (client: Client) => inTransaction(client, 'rollback', create),
  };
};
