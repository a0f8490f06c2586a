import type { PostgresClient, PostgresPool } from '../../../platform/storage/dialects/postgres-pool.ts';
import type { ImportedSeries } from '../imported-series.ts';
import { KIND } from '../sample-columns.ts';
import { columnOf } from '../stored-series.ts';
import { doublesOf, numberArray, readDoubles, readTexts, textsOf } from './column-bytes.ts';
import { toSeries, type SeriesRow } from './postgres-series.ts';
import { PartitionCounts, SamplePartitions } from './sample-partitions.ts';

/** How long dropping a partition waits: imports drop none. */
const NEVER_DROPS = 0;

const insertInto = (column: 'value' | 'text', type: 'float8' | 'text'): string =>
  `insert into telemetry_sample (series, ts, ${column})
   select * from unnest($1::int[], $2::bigint[], $3::${type}[])`;

/** A series with its samples, as bytes and JSON. */
export type ImportedRow = SeriesRow & { ts: Buffer | null; value: Buffer | null; text: string | null };

/** Of each series, the samples from a first to a last time. */
const READ = `
  select id, device, metric, kind, unit, sample.*
  from unnest($1::int[], $2::bigint[], $3::bigint[]) as wanted (id, first, last)
  join telemetry_series using (id)
  cross join lateral (
    select ${doublesOf('ts', 'ts')} as ts, ${doublesOf('value', 'ts')} as value, ${textsOf('text', 'ts')} as text
    from telemetry_sample where series = id and ts between first and last and ts between $4 and $5
  ) sample`;

const COUNT = `
  select (select count(*) from telemetry_series) as series, (select count(*) from telemetry_sample) as samples,
    (select coalesce(sum(samples), 0) from telemetry_partition) as "countedSamples"`;

export const toImported = (row: ImportedRow): ImportedSeries => {
  const { ts, value, text, ...series } = row;
  const { id, device, metric, kind, unit } = toSeries(series);
  const values = columnOf(kind === 'string' ? readTexts(text) : readDoubles(value), kind);
  return { id, device, metric, kind, unit, ts: readDoubles(ts), value: values };
};

const flatten = <T>(all: readonly ImportedSeries[], valuesOf: (series: ImportedSeries) => Iterable<T>): T[] =>
  all.flatMap((series) => [...valuesOf(series)]);

/**
 * Writes samples of another store, and reads them back. The tables must exist (`migrateTelemetry`), and no service may
 * use them.
 */
export const createSampleImport = (pool: PostgresPool) => {
  const partitions = new SamplePartitions(pool, NEVER_DROPS);

  const countByPartition = (all: readonly ImportedSeries[]): PartitionCounts => {
    const counts = new PartitionCounts();
    for (const { ts } of all) for (const time of ts) counts.add(time, 1);
    return counts;
  };

  const insertSamples = async (
    client: PostgresClient,
    all: readonly ImportedSeries[],
    isText: boolean,
  ): Promise<void> => {
    if (all.length === 0) return;
    await client.query(isText ? insertInto('text', 'text') : insertInto('value', 'float8'), [
      numberArray(flatten(all, ({ id, ts }) => Array.from(ts, () => id))),
      numberArray(flatten(all, ({ ts }) => ts)),
      isText
        ? flatten(all, ({ value }) => Array.from<unknown, string>(value, (text) => JSON.stringify(text)))
        : numberArray(flatten(all, ({ value }) => Array.from<unknown, number>(value, Number))),
    ]);
  };

  return {
    /** Creates the partitions of samples, before the transaction that inserts them. */
    createPartitions: (all: readonly ImportedSeries[]): Promise<void> =>
      partitions.create(countByPartition(all).partitions()),
    /** Inserts series that are new, and samples. */
    insert: async (client: PostgresClient, all: readonly ImportedSeries[]): Promise<void> => {
      await client.query(
        `insert into telemetry_series (id, device, metric, kind, unit) overriding system value
         select * from unnest($1::int[], $2::text[], $3::text[], $4::smallint[], $5::text[])
         on conflict (id) do nothing`,
        [
          all.map(({ id }) => id),
          all.map(({ device }) => device),
          all.map(({ metric }) => metric),
          all.map(({ kind }) => KIND[kind]),
          all.map(({ unit }) => unit),
        ],
      );
      await insertSamples(
        client,
        all.filter(({ kind }) => kind !== 'string'),
        false,
      );
      await insertSamples(
        client,
        all.filter(({ kind }) => kind === 'string'),
        true,
      );
      await countByPartition(all).save(client);
    },
    /** Reads the samples from the first to the last time of each given series, by its ID. */
    read: async (all: readonly ImportedSeries[]): Promise<Map<number, ImportedSeries>> => {
      if (all.length === 0) return new Map();
      const [first, last] = [all.map(({ ts }) => ts[0]!), all.map(({ ts }) => ts.at(-1)!)];
      const { rows } = await pool.query<ImportedRow>(READ, [
        all.map(({ id }) => id),
        first,
        last,
        first.reduce((least, ts) => Math.min(least, ts), Infinity),
        last.reduce((greatest, ts) => Math.max(greatest, ts), -Infinity),
      ]);
      return new Map(rows.map((row) => [row.id, toImported(row)]));
    },
    /** Counts all series and samples. */
    count: async () => {
      const { rows } = await pool.query<Record<'series' | 'samples' | 'countedSamples', number>>(COUNT);
      return rows[0]!;
    },
    /** New series get IDs after this one. */
    setLastSeries: async (id: number): Promise<void> => {
      if (id > 0)
        await pool.query(`select setval(pg_get_serial_sequence('telemetry_series', 'id'), $1)`, [id]);
    },
  };
};
