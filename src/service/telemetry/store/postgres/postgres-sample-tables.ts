import type { Aggregate, Value } from '#contract/telemetry.ts';
import type { PostgresPool } from '../../../platform/storage/dialects/postgres-pool.ts';
import type { SampleTables, SeriesNames, SeriesPage } from '../server-sample-reader.ts';
import { bucketSeries, columnOf } from '../stored-series.ts';
import type { BucketResolution, Selection, StoredMetric, StoredSeries } from '../telemetry-store.ts';
import { doublesOf, numberArray, readDoubles, readTexts, textsOf } from './column-bytes.ts';
import { clampTime } from '../clamp-time.ts';
import { readBuckets } from './postgres-buckets.ts';
import {
  selectSeries,
  selectSomeSeries,
  toSeries,
  type PostgresSeries,
  type SeriesRow,
} from './postgres-series.ts';

type RawRow = { series: number; ts: Buffer; value: Buffer | null; text: string | null };
type EndRow = { first: number | null; last: number | null };
type MetricRow = SeriesRow & { firstTs: number; lastTs: number; value: number | null; text: string | null };

const SENT_SAMPLES = `${doublesOf('ts', 'ts')} as ts, ${doublesOf('value', 'ts')} as value, ${textsOf('text', 'ts')} as text`;

const idsOf = (series: readonly PostgresSeries[]): string => numberArray(series.map(({ id }) => id));

const rawSeries = (
  { id: _, ...name }: PostgresSeries,
  { ts, value, text }: Omit<RawRow, 'series'> | { ts: null; value: null; text: null },
): StoredSeries => ({
  ...name,
  ts: readDoubles(ts),
  value: columnOf(name.kind === 'string' ? readTexts(text) : readDoubles(value), name.kind),
});

const NO_SAMPLES = { ts: null, value: null, text: null };

const valueOf = ({ value, text }: Pick<MetricRow, 'value' | 'text'>, { kind }: PostgresSeries): Value => {
  if (kind === 'string') return String(JSON.parse(text ?? '""'));
  return kind === 'boolean' ? value === 1 : (value ?? Number.NaN);
};

/** Statements that read samples, raw and in buckets, and the latest of each series. */
export class PostgresSampleTables implements SampleTables<PostgresSeries> {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  selectSeries(...names: SeriesNames): Promise<PostgresSeries[]> {
    return selectSeries(this.#pool, ...names);
  }

  selectSomeSeries(names: SeriesNames, page: SeriesPage): Promise<PostgresSeries[]> {
    return selectSomeSeries(this.#pool, names, page);
  }

  /** As `TelemetryStore.metrics`. */
  async metrics(
    devices: readonly string[],
    metrics?: readonly string[],
    untilMs = Infinity,
  ): Promise<StoredMetric[]> {
    const { rows } = await this.#pool.query<MetricRow>(
      `select id, device, metric, kind, unit, first.ts as "firstTs", coalesce(usual.ts, latest.ts) as "lastTs",
         case when usual.ts is null then latest.value else usual.value end as value,
         case when usual.ts is null then latest.text else usual.text end as text
       from telemetry_series series
       cross join lateral (
         select ts from telemetry_sample where series = series.id order by ts limit 1
       ) first
       left join lateral (
         select ts, value, text from telemetry_sample where series = series.id and ts <= $3 order by ts desc limit 1
       ) usual on true
       left join lateral (
         select ts, value, text from telemetry_sample where series = series.id and usual.ts is null
         order by ts desc limit 1
       ) latest on true
       where device = any($1) and ($2::text[] is null or metric = any($2))
       order by device, metric`,
      [[...devices], metrics ?? null, Math.floor(Math.min(Number.MAX_SAFE_INTEGER, untilMs))],
    );
    return rows.map(({ firstTs, lastTs, value, text, ...row }) => {
      const { id: _, ...name } = toSeries(row);
      return { ...name, label: null, firstTs, lastTs, value: valueOf({ value, text }, toSeries(row)) };
    });
  }

  async exceeds(
    all: readonly PostgresSeries[],
    { fromMs, toMs }: Selection,
    points: number,
  ): Promise<boolean> {
    const { rows } = await this.#pool.query<{ exceeds: boolean }>(
      `select exists (
         select from unnest($1::int[]) as one (id) where exists (
           select from telemetry_sample where series = one.id and ts >= $2 and ts < $3 offset $4 limit 1
         )
       ) as exceeds`,
      [idsOf(all), clampTime(fromMs), clampTime(toMs), points],
    );
    return rows[0]?.exceeds === true;
  }

  async readRaw(all: readonly PostgresSeries[], { fromMs, toMs }: Selection): Promise<StoredSeries[]> {
    const { rows } = await this.#pool.query<RawRow>(
      `select series, ${SENT_SAMPLES}
       from (
         select series, ts, value, text from telemetry_sample
         where series = any($1::int[]) and ts >= $2 and ts < $3 order by series, ts
       ) sample group by series`,
      [idsOf(all), clampTime(fromMs), clampTime(toMs)],
    );
    const bySeries = new Map(rows.map((row) => [row.series, row]));
    return all.map((series) => rawSeries(series, bySeries.get(series.id) ?? NO_SAMPLES));
  }

  async readBuckets(
    all: readonly PostgresSeries[],
    selection: Selection,
    resolution: BucketResolution,
    aggregates: readonly Aggregate[],
  ): Promise<StoredSeries[]> {
    const span = { bucketMs: resolution.bucketMs, toMs: selection.toMs };
    const bucketsOf = await readBuckets(this.#pool, all, selection, resolution, aggregates);
    return all.map((series) => bucketSeries(series, bucketsOf(series), aggregates, span));
  }

  async scanSeries(
    series: readonly PostgresSeries[],
    { fromMs, toMs }: Selection,
    limit: number,
    afterMs: number | undefined,
  ): Promise<StoredSeries[]> {
    const { rows } = await this.#pool.query<RawRow>(
      `select series, ${SENT_SAMPLES}
       from (
         select wanted.position, sample.* from unnest($1::int[]) with ordinality as wanted (id, position)
         cross join lateral (
           select series, ts, value, text from telemetry_sample
           where series = wanted.id and ts >= $2 and ts < $3 and (wanted.position > 1 or ts > $4)
           order by ts limit $5
         ) sample
         order by wanted.position, sample.ts limit $5
       ) sample group by position, series order by position`,
      [idsOf(series), clampTime(fromMs), clampTime(toMs), afterMs ?? Number.MIN_SAFE_INTEGER, limit],
    );
    const byId = new Map(series.map((each) => [each.id, each]));
    return rows.map((row) => rawSeries(byId.get(row.series)!, row));
  }

  async findEnds(all: readonly PostgresSeries[]): Promise<EndRow> {
    const { rows } = await this.#pool.query<EndRow>(
      'select min(ts) as first, max(ts) as last from telemetry_sample where series = any($1::int[])',
      [idsOf(all)],
    );
    return rows[0]!;
  }
}
