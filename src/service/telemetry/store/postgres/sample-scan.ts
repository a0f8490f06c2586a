import type { PostgresPool } from '../../../platform/storage/dialects/postgres-pool.ts';
import type { ImportedSeries } from '../imported-series.ts';
import { KIND } from '../sample-columns.ts';
import { doublesOf, readDoubles, textsOf } from './column-bytes.ts';
import { toImported, type ImportedRow } from './sample-import.ts';

/** The greatest ID that a series may have. */
export const MAX_SERIES = 2_147_483_647;
/** After every time, as text: it is beyond 2^53. */
const AFTER_ALL = '9223372036854775807';

/** Settings of a connection that scans: each partition is read in the order of its key, and nothing is changed. */
export const SCAN_SETTINGS =
  'set enable_seqscan = off; set enable_bitmapscan = off; set default_transaction_read_only = on';

/** Samples without a series belong to one that was removed. */
const PAGE = `
  select page.*, device, metric, kind, unit
  from (
    select series as id, ${doublesOf('ts', 'ts')} as ts, ${doublesOf('value', 'ts')} as value, ${textsOf('text', 'ts')} as text
    from (
      select series, ts, value, text from telemetry_sample
      where (series, ts) > ($1::int, $2::bigint) and series <= $3::int order by series, ts limit $4
    ) sample
    group by series
  ) page
  left join telemetry_series using (id)
  order by id`;

const CONTENT = `
  select value as generation, database_id as "databaseId",
    coalesce(pg_sequence_last_value(pg_get_serial_sequence('telemetry_series', 'id')::regclass), 0) as "lastSeries"
  from telemetry_generation`;

type Content = { generation: number; databaseId: string; lastSeries: number };
type Partition = { name: string; from: number; samples: number };
type PageRow = Omit<ImportedRow, 'device'> & { device: string | null };

const hasSeries = (row: PageRow): row is ImportedRow => row.device !== null;

/** Reads all samples, by the ID of the series and time, while no service writes them. */
export const createSampleScan = (pool: PostgresPool) => ({
  /** What the tables contain, as the database counts it. */
  describe: async (): Promise<Content & { partitions: readonly Partition[] }> => {
    const { rows } = await pool.query<Content>(CONTENT);
    const { rows: partitions } = await pool.query<Partition>(
      'select name, from_ts as "from", samples from telemetry_partition order by from_ts, name',
    );
    return { ...rows[0]!, partitions };
  },
  /** The ascending IDs of all series of texts. */
  listTextSeries: async (): Promise<number[]> => {
    const { rows } = await pool.query<{ id: number }>(
      'select id from telemetry_series where kind = $1 order by id',
      [KIND.string],
    );
    return rows.map(({ id }) => id);
  },
  /** The samples after a position, up to a series. `samples` counts those of removed series too, which have no part. */
  readPage: async (
    after: { readonly series: number; readonly ts: number | null },
    lastSeries: number,
    limit: number,
  ): Promise<{
    parts: ImportedSeries[];
    samples: number;
    end: { series: number; ts: number } | undefined;
  }> => {
    const { rows } = await pool.query<PageRow>(PAGE, [
      after.series,
      after.ts ?? AFTER_ALL,
      lastSeries,
      limit,
    ]);
    const times = rows.map(({ ts }) => readDoubles(ts));
    const [last, ts] = [rows.at(-1), times.at(-1)?.at(-1)];
    return {
      parts: rows.filter(hasSeries).map(toImported),
      samples: times.reduce((sum, { length }) => sum + length, 0),
      end: last === undefined || ts === undefined ? undefined : { series: last.id, ts },
    };
  },
});

export type SampleScan = ReturnType<typeof createSampleScan>;
