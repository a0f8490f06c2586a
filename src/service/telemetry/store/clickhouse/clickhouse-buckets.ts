import type { Aggregate } from '#contract/telemetry.ts';
import { clampTime } from '../clamp-time.ts';
import type { Cell } from '../sample-columns.ts';
import { columnsFor, type BucketColumn, type BucketColumns } from '../stored-series.ts';
import type { BucketResolution, Selection } from '../telemetry-store.ts';
import type { ClickHouse } from './clickhouse-client.ts';
import { idList } from './clickhouse-literals.ts';
import type { ClickHouseSeries } from './clickhouse-series.ts';

const NUMBERS: Record<BucketColumn, string> = {
  sums: 'sum(value)',
  mins: 'min(value)',
  maxs: 'max(value)',
  firsts: 'argMin(value, ts)',
  lasts: 'argMax(value, ts)',
};
const TEXTS = { firsts: 'argMin(text, ts)', lasts: 'argMax(text, ts)' } as const;
const hasText = (name: BucketColumn): name is keyof typeof TEXTS => name in TEXTS;

/** Starts at the same distance, such as days between two changes of the clocks. */
type Run = { readonly first: number; readonly widthMs: number; count: number };

const runsOf = (starts: Float64Array): Run[] => {
  const runs: Run[] = [];
  for (let i = 0; i < starts.length;) {
    const first = starts[i]!;
    const widthMs = i + 1 < starts.length ? starts[i + 1]! - first : 1;
    const run: Run = { first, widthMs, count: 1 };
    while (starts[i + run.count] === first + run.count * widthMs) run.count += 1;
    runs.push(run);
    i += run.count;
  }
  return runs;
};

/** The most runs that a statement compares each sample with. */
const RUNS_PER_STATEMENT = 100;

/** A part of the range, and SQL for the start of the bucket of `ts` there. */
type Part = { readonly fromMs: number; readonly toMs: number; readonly start: string };

const startIn = ({ first, widthMs, count }: Run): string =>
  `toInt64(${first}) + least(toInt64(${count - 1}), intDiv(ts - toInt64(${first}), toInt64(${widthMs}))) * toInt64(${widthMs})`;

const startsIn = (runs: readonly Run[]): string =>
  runs.length === 1
    ? startIn(runs[0]!)
    : `multiIf(${runs
        .slice(0, -1)
        .map((run, i) => `ts < toInt64(${runs[i + 1]!.first}), ${startIn(run)}`)
        .join(', ')}, ${startIn(runs.at(-1)!)})`;

/** Buckets before the epoch begin at or before their samples too. */
const evenStart = (bucketMs: number): string => {
  const width = `toInt64(${bucketMs})`;
  return `ts - ((ts % ${width}) + ${width}) % ${width}`;
};

const partsOf = ({ fromMs, toMs }: Selection, resolution: BucketResolution): Part[] => {
  if (!('starts' in resolution)) return [{ fromMs, toMs, start: evenStart(resolution.bucketMs) }];
  const runs = runsOf(resolution.starts);
  const parts: Part[] = [];
  for (let i = 0; i < runs.length; i += RUNS_PER_STATEMENT) {
    const next = runs[i + RUNS_PER_STATEMENT]?.first ?? Infinity;
    parts.push({
      fromMs: i === 0 ? fromMs : Math.max(fromMs, runs[i]!.first),
      toMs: Math.min(toMs, next),
      start: startsIn(runs.slice(i, i + RUNS_PER_STATEMENT)),
    });
  }
  return parts;
};

type Buckets = Record<Exclude<keyof BucketColumns, 'firsts' | 'lasts'>, number[]> &
  Record<'firsts' | 'lasts', Cell[]>;

const createBuckets = (): Buckets => ({
  starts: [],
  counts: [],
  sums: [],
  mins: [],
  maxs: [],
  firsts: [],
  lasts: [],
});

/** Reads the columns of buckets that the aggregates need. Returns them in the order of the series. */
export const readBuckets = async (
  clickhouse: ClickHouse,
  all: readonly ClickHouseSeries[],
  selection: Selection,
  resolution: BucketResolution,
  aggregates: readonly Aggregate[],
): Promise<BucketColumns[]> => {
  const names = columnsFor(aggregates);
  const texts = all.some(({ kind }) => kind === 'string') ? names.filter(hasText) : [];
  const columns = [...names.map((name) => NUMBERS[name]), ...texts.map((name) => TEXTS[name])];
  const bySeries = new Map(all.map((series) => [series.id, { series, buckets: createBuckets() }]));
  for (const { fromMs, toMs, start } of partsOf(selection, resolution)) {
    const rows = await clickhouse.select(
      `select series, ${start} as start, toInt64(count())${columns.map((column) => `, ${column}`).join('')}
       from telemetry_sample final
       where series in ${idList(all)} and ts >= ${clampTime(fromMs)} and ts < ${clampTime(toMs)}
       group by series, start order by series, start`,
    );
    while (rows.hasMore) {
      const { series, buckets } = bySeries.get(rows.uint64())!;
      const isText = series.kind === 'string';
      buckets.starts.push(rows.int64());
      buckets.counts.push(rows.int64());
      for (const name of names) {
        const value = rows.float64();
        if (!isText || !hasText(name)) buckets[name].push(value);
      }
      for (const name of texts) {
        const text = rows.text();
        if (isText) buckets[name].push(String(JSON.parse(text)));
      }
    }
  }
  return all.map(({ id }) => bySeries.get(id)!.buckets);
};
