import type { Aggregate } from '#contract/telemetry.ts';
import type { PostgresPool } from '../../../platform/storage/dialects/postgres-pool.ts';
import { columnsFor, type BucketColumn, type BucketColumns } from '../stored-series.ts';
import type { BucketResolution, Selection } from '../telemetry-store.ts';
import { doublesOf, numberArray, readDoubles, readTexts, textsOf } from './column-bytes.ts';
import { clampTime } from '../clamp-time.ts';
import type { PostgresSeries } from './postgres-series.ts';

/** Numbers from here on are summed apart, divided by 2^64: a sum that is too large is an error in PostgreSQL. */
const LARGE = '1e290';
const SCALE = 2 ** 64;

/** SQL for the start of the bucket of `ts`, before the epoch as well. */
const EVEN_START = 'ts - mod(mod(ts, $4::bigint) + $4::bigint, $4::bigint)';
const LISTED_START = '($4::bigint[])[greatest(1, width_bucket(ts, $4::bigint[]))]';

/** `large`: the sums of large numbers. */
type SentColumn = BucketColumn | 'large';

/** SQL for each column of a bucket. A first or last value follows from its time, by the key. */
const COLUMNS: Record<SentColumn, string> = {
  sums: `coalesce(sum(value) filter (where abs(value) < ${LARGE}), 0)`,
  large: `coalesce(sum(value / ${SCALE}) filter (where abs(value) >= ${LARGE}), 0)`,
  mins: 'min(value)',
  maxs: 'max(value)',
  firsts: 'min(ts)',
  lasts: 'max(ts)',
};

type BucketRow = { series: number; starts: Buffer; counts: Buffer } & Partial<Record<SentColumn, Buffer>> & {
    firstTexts?: string | null;
    lastTexts?: string | null;
  };

const valueAt = (column: 'value' | 'text', time: string): string =>
  `(select ${column} from telemetry_sample sample where sample.series = bucket.series and sample.ts = bucket.${time})`;

const sentColumn = (column: SentColumn): string[] => {
  if (column !== 'firsts' && column !== 'lasts') return [`${doublesOf(column, 'start')} as ${column}`];
  const texts = column === 'firsts' ? 'firstTexts' : 'lastTexts';
  return [
    `${doublesOf(valueAt('value', column), 'start')} as ${column}`,
    `${textsOf(valueAt('text', column), 'start')} as "${texts}"`,
  ];
};

const statement = (columns: readonly SentColumn[], start: string): string => `
  select series, ${[doublesOf('start', 'start'), doublesOf('count', 'start')].map((sent, i) => `${sent} as ${['starts', 'counts'][i]}`).join(', ')}
    ${columns
      .flatMap(sentColumn)
      .map((sent) => `, ${sent}`)
      .join('')}
  from (
    select series, ${start} as start, count(*) as count ${columns.map((name) => `, ${COLUMNS[name]} as ${name}`).join('')}
    from telemetry_sample where series = any($1::int[]) and ts >= $2 and ts < $3
    group by 1, 2 order by 1, 2
  ) bucket group by series`;

const addLarge = (sums: Float64Array, large: Float64Array): Float64Array =>
  sums.map((sum, i) => sum + large[i]! * SCALE);

const NONE: readonly number[] = [];

const EMPTY: BucketColumns = {
  starts: NONE,
  counts: NONE,
  sums: NONE,
  mins: NONE,
  maxs: NONE,
  firsts: NONE,
  lasts: NONE,
};

const toColumns = (row: BucketRow, { kind }: PostgresSeries): BucketColumns => {
  const isText = kind === 'string';
  const numbers = (name: SentColumn) => readDoubles(row[name] ?? null);
  return {
    starts: readDoubles(row.starts),
    counts: readDoubles(row.counts),
    sums: addLarge(numbers('sums'), numbers('large')),
    mins: numbers('mins'),
    maxs: numbers('maxs'),
    firsts: isText ? readTexts(row.firstTexts ?? null) : numbers('firsts'),
    lasts: isText ? readTexts(row.lastTexts ?? null) : numbers('lasts'),
  };
};

/** Reads the columns of buckets that the aggregates need. Returns a function that returns them by series. */
export const readBuckets = async (
  pool: PostgresPool,
  all: readonly PostgresSeries[],
  { fromMs, toMs }: Selection,
  resolution: BucketResolution,
  aggregates: readonly Aggregate[],
): Promise<(series: PostgresSeries) => BucketColumns> => {
  const columns = columnsFor(aggregates).flatMap((name): SentColumn[] =>
    name === 'sums' ? ['sums', 'large'] : [name],
  );
  const isListed = 'starts' in resolution;
  const { rows } = await pool.query<BucketRow>(statement(columns, isListed ? LISTED_START : EVEN_START), [
    numberArray(all.map(({ id }) => id)),
    clampTime(fromMs),
    clampTime(toMs),
    isListed ? numberArray(resolution.starts) : resolution.bucketMs,
  ]);
  const bySeries = new Map(rows.map((row) => [row.series, row]));
  return (series) => {
    const row = bySeries.get(series.id);
    return row === undefined ? EMPTY : toColumns(row, series);
  };
};
