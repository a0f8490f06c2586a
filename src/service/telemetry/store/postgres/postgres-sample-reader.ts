import type { Aggregate, Value } from '#contract/telemetry.ts';
import type { PostgresPool } from '../../../platform/storage/dialects/postgres-pool.ts';
import { bucketWidthFor, finiteRange, type TimeRange } from '../bucket-width.ts';
import { DeviceCombiner, toCombinedSeries } from '../combine-devices.ts';
import { bucketSeries, columnOf } from '../stored-series.ts';
import { TextLimit } from '../text-limit.ts';
import type {
  BucketResolution,
  CombinedResult,
  CombineOptions,
  ReadResult,
  Resolution,
  ScanPosition,
  ScanResult,
  Selection,
  StoredMetric,
  StoredSeries,
} from '../telemetry-store.ts';
import { clampTime, doublesOf, numberArray, readDoubles, readTexts, textsOf } from './column-bytes.ts';
import { readBuckets } from './postgres-buckets.ts';
import {
  selectSeries,
  selectSomeSeries,
  toSeries,
  type PostgresSeries,
  type SeriesRow,
} from './postgres-series.ts';

/** Series whose samples a scan looks up at a time. */
const SERIES_PER_SCAN = 100;

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

/** What one statement returns at most: 50 series of 5,000 buckets with 6 columns are 12 MB, and texts about 16 MiB. */
const SERIES_PER_STATEMENT = 50;
const TEXTS_PER_STATEMENT = 16_384;

function* slicesOf(
  all: readonly PostgresSeries[],
  length: number,
): Generator<readonly PostgresSeries[], void> {
  for (let i = 0; i < all.length; i += length) yield all.slice(i, i + length);
}

/** Reads series some at a time, those of text by the texts that each has at most. @throws QueryTooLarge */
const readInSlices = async (
  all: readonly PostgresSeries[],
  texts: number,
  read: (some: readonly PostgresSeries[]) => Promise<StoredSeries[]>,
): Promise<StoredSeries[]> => {
  const limit = new TextLimit();
  const found = new Map<PostgresSeries, StoredSeries>();
  const readSome = async (some: readonly PostgresSeries[]): Promise<void> => {
    for (const [i, series] of (await read(some)).entries()) {
      limit.add(series);
      found.set(some[i]!, series);
    }
    limit.requireWithin();
  };
  const numbers = all.filter(({ kind }) => kind !== 'string');
  for (const some of slicesOf(numbers, SERIES_PER_STATEMENT)) await readSome(some);
  const ofText = all.filter(({ kind }) => kind === 'string');
  const length = Math.min(SERIES_PER_STATEMENT, Math.max(1, Math.floor(TEXTS_PER_STATEMENT / texts)));
  for (const some of slicesOf(ofText, length)) await readSome(some);
  return all.map((series) => found.get(series)!);
};

const NO_SAMPLES = { ts: null, value: null, text: null };

const valueOf = ({ value, text }: Pick<MetricRow, 'value' | 'text'>, { kind }: PostgresSeries): Value => {
  if (kind === 'string') return String(JSON.parse(text ?? '""'));
  return kind === 'boolean' ? value === 1 : (value ?? Number.NaN);
};

/** Reads samples, raw and in buckets, and the latest of each series. */
export class PostgresSampleReader {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** As `TelemetryStore.read`. */
  async read(
    selection: Selection,
    resolution: Resolution,
    aggregates: readonly Aggregate[],
  ): Promise<ReadResult> {
    const all = await selectSeries(this.#pool, selection.devices, selection.metrics);
    if ('points' in resolution && !(await this.#exceeds(all, selection, resolution.points)))
      return {
        bucketMs: null,
        series: await readInSlices(all, resolution.points, (some) => this.#readRaw(some, selection)),
      };
    const width =
      'points' in resolution ? await this.#widthFor(all, selection, resolution.points) : resolution;
    const read = (some: readonly PostgresSeries[]) => this.#readBuckets(some, selection, width, aggregates);
    const hasTexts = aggregates.includes('first') || aggregates.includes('last');
    const texts = hasTexts ? 2 * Math.ceil((selection.toMs - selection.fromMs) / width.bucketMs + 1) : 0;
    return { bucketMs: width.bucketMs, series: await readInSlices(all, texts, read) };
  }

  /** As `TelemetryStore.readCombined`. */
  async readCombined(
    selection: Selection,
    resolution: Resolution,
    { across, aggregates, leastBucketMs }: CombineOptions,
  ): Promise<CombinedResult> {
    const all = await selectSeries(this.#pool, selection.devices, selection.metrics);
    const width =
      'points' in resolution
        ? await this.#widthFor(all, selection, resolution.points, leastBucketMs)
        : resolution;
    const combined = all.filter(({ kind }) => kind === 'number' || across === 'count');
    const combiner = new DeviceCombiner(across);
    for (const some of slicesOf(combined, SERIES_PER_STATEMENT))
      for (const series of await this.#readBuckets(some, selection, width, aggregates))
        combiner.add(toCombinedSeries(series, aggregates));
    return { bucketMs: width.bucketMs, series: [...combiner.build()] };
  }

  /** As `TelemetryStore.scan`. Pages by key: a cursor of the server would hold a transaction while the client reads. */
  async scan(selection: Selection, limit: number, after?: ScanPosition): Promise<ScanResult> {
    const { devices, metrics } = selection;
    const found: StoredSeries[] = [];
    let room = limit;
    let from = { device: '', metric: '', isAfter: false, ...after };
    for (;;) {
      const series = await selectSomeSeries(this.#pool, [devices, metrics], {
        ...from,
        limit: SERIES_PER_SCAN,
      });
      const page = await this.#scanSeries(series, selection, room, after);
      found.push(...page);
      room -= page.reduce((sum, { ts }) => sum + ts.length, 0);
      const [last, lastSeries] = [found.at(-1), series.at(-1)];
      if (room === 0 && last !== undefined)
        return { series: found, next: { device: last.device, metric: last.metric, ts: last.ts.at(-1)! } };
      if (lastSeries === undefined || series.length < SERIES_PER_SCAN) return { series: found, next: null };
      from = { ...from, device: lastSeries.device, metric: lastSeries.metric, isAfter: true };
    }
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

  /** Whether a series has more than `points` samples in the range. */
  async #exceeds(
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

  async #readRaw(all: readonly PostgresSeries[], { fromMs, toMs }: Selection): Promise<StoredSeries[]> {
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

  async #readBuckets(
    all: readonly PostgresSeries[],
    selection: Selection,
    resolution: BucketResolution,
    aggregates: readonly Aggregate[],
  ): Promise<StoredSeries[]> {
    const span = { bucketMs: resolution.bucketMs, toMs: selection.toMs };
    const bucketsOf = await readBuckets(this.#pool, all, selection, resolution, aggregates);
    return all.map((series) => bucketSeries(series, bucketsOf(series), aggregates, span));
  }

  /** The first samples of series in a range; of that at `after`, those after it. */
  async #scanSeries(
    series: readonly PostgresSeries[],
    { fromMs, toMs }: Selection,
    limit: number,
    after: ScanPosition | undefined,
  ): Promise<StoredSeries[]> {
    const [first] = series;
    const isResumed = first !== undefined && first.device === after?.device && first.metric === after.metric;
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
      [
        idsOf(series),
        clampTime(fromMs),
        clampTime(toMs),
        isResumed ? after.ts : Number.MIN_SAFE_INTEGER,
        limit,
      ],
    );
    const byId = new Map(series.map((each) => [each.id, each]));
    return rows.map((row) => rawSeries(byId.get(row.series)!, row));
  }

  async #widthFor(
    all: readonly PostgresSeries[],
    range: TimeRange,
    points: number,
    leastBucketMs = 0,
  ): Promise<{ bucketMs: number }> {
    const isFinite = Number.isFinite(range.toMs - range.fromMs);
    const finite = isFinite ? range : finiteRange(range, await this.#ends(all));
    return { bucketMs: bucketWidthFor(finite, points, leastBucketMs) };
  }

  /** The times of the first and the last sample. */
  async #ends(all: readonly PostgresSeries[]): Promise<EndRow> {
    const { rows } = await this.#pool.query<EndRow>(
      'select min(ts) as first, max(ts) as last from telemetry_sample where series = any($1::int[])',
      [idsOf(all)],
    );
    return rows[0]!;
  }
}
