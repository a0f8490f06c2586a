import type { Aggregate } from '#contract/telemetry.ts';
import { clampTime } from '../clamp-time.ts';
import type { Cell } from '../sample-columns.ts';
import type { SampleTables, SeriesNames, SeriesPage } from '../server-sample-reader.ts';
import { bucketSeries, columnOf } from '../stored-series.ts';
import type { BucketResolution, Selection, StoredMetric, StoredSeries } from '../telemetry-store.ts';
import { readBuckets } from './clickhouse-buckets.ts';
import type { ClickHouse } from './clickhouse-client.ts';
import { idList } from './clickhouse-literals.ts';
import { selectSeries, selectSomeSeries, type ClickHouseSeries } from './clickhouse-series.ts';
import type { RowReader } from './row-binary.ts';

/** Series whose latest values one statement reads. */
const SERIES_PER_LATEST = 5_000;

type Samples = { readonly ts: number[]; readonly cells: Cell[] };
/** The times of the first sample and of the latest one up to a time. */
type Ends = { readonly firstTs: number; readonly lastTs: number };

const rangeOf = ({ fromMs, toMs }: Selection): string =>
  `ts >= ${clampTime(fromMs)} and ts < ${clampTime(toMs)}`;

const readCell = (rows: RowReader, { kind }: ClickHouseSeries): Cell => {
  const value = rows.float64();
  const text = rows.text();
  return kind === 'string' ? String(JSON.parse(text)) : value;
};

const toStoredSeries = (
  { id: _, ...name }: ClickHouseSeries,
  { ts, cells }: Samples = { ts: [], cells: [] },
): StoredSeries => ({ ...name, ts: Float64Array.from(ts), value: columnOf(cells, name.kind) });

/** Statements that read samples, raw and in buckets, and the latest of each series. */
export class ClickHouseSampleTables implements SampleTables<ClickHouseSeries> {
  readonly #clickhouse: ClickHouse;

  constructor(clickhouse: ClickHouse) {
    this.#clickhouse = clickhouse;
  }

  selectSeries(...names: SeriesNames): Promise<ClickHouseSeries[]> {
    return selectSeries(this.#clickhouse, ...names);
  }

  selectSomeSeries(names: SeriesNames, page: SeriesPage): Promise<ClickHouseSeries[]> {
    return selectSomeSeries(this.#clickhouse, names, page);
  }

  async exceeds(all: readonly ClickHouseSeries[], selection: Selection, points: number): Promise<boolean> {
    const rows = await this.#clickhouse.select(
      `select series from telemetry_sample final where series in ${idList(all)} and ${rangeOf(selection)}
       group by series having count() > ${points} limit 1`,
    );
    return rows.hasMore;
  }

  async findEnds(all: readonly ClickHouseSeries[]) {
    const rows = await this.#clickhouse.select(
      `select min(ts), max(ts) from telemetry_sample where series in ${idList(all)} having count() > 0`,
    );
    return rows.hasMore ? { first: rows.int64(), last: rows.int64() } : { first: null, last: null };
  }

  async readRaw(some: readonly ClickHouseSeries[], selection: Selection): Promise<StoredSeries[]> {
    const samples = await this.#readSamples(some, rangeOf(selection), 'order by series, ts');
    return some.map((series) => toStoredSeries(series, samples.get(series)));
  }

  async readBuckets(
    some: readonly ClickHouseSeries[],
    selection: Selection,
    resolution: BucketResolution,
    aggregates: readonly Aggregate[],
  ): Promise<StoredSeries[]> {
    const span = { bucketMs: resolution.bucketMs, toMs: selection.toMs };
    const buckets = await readBuckets(this.#clickhouse, some, selection, resolution, aggregates);
    return some.map(({ id: _, ...name }, i) => bucketSeries(name, buckets[i]!, aggregates, span));
  }

  /** Reads one series first, then twice as many each time: the server sorts all samples of the series of a statement. */
  async scanSeries(
    some: readonly ClickHouseSeries[],
    selection: Selection,
    limit: number,
    afterMs = Number.MIN_SAFE_INTEGER,
  ): Promise<StoredSeries[]> {
    const found: StoredSeries[] = [];
    let room = limit;
    for (let [i, length] = [0, 1]; i < some.length && room > 0; i += length, length *= 2) {
      const slice = some.slice(i, i + length);
      const positions = slice.map((_, position) => position);
      const condition = i === 0 ? `${rangeOf(selection)} and ts > ${afterMs}` : rangeOf(selection);
      const samples = await this.#readSamples(
        slice,
        condition,
        `order by transform(series, [${slice.map(({ id }) => `toUInt64(${id})`).join(',')}], [${positions.join(',')}], 0), ts limit ${room}`,
      );
      for (const series of slice)
        if (samples.has(series)) found.push(toStoredSeries(series, samples.get(series)));
      room = limit - found.reduce((sum, { ts }) => sum + ts.length, 0);
    }
    return found;
  }

  /** As `TelemetryStore.metrics`. */
  async metrics(
    devices: readonly string[],
    metrics?: readonly string[],
    untilMs = Infinity,
  ): Promise<StoredMetric[]> {
    const all = await this.selectSeries(devices, metrics);
    const found: StoredMetric[] = [];
    for (let i = 0; i < all.length; i += SERIES_PER_LATEST)
      found.push(...(await this.#readLatest(all.slice(i, i + SERIES_PER_LATEST), untilMs)));
    return found;
  }

  async #readLatest(some: readonly ClickHouseSeries[], untilMs: number): Promise<StoredMetric[]> {
    const ends = await this.#readEnds(some, untilMs);
    const positions = [...ends].map(([{ id }, { lastTs }]) => `(${id},${lastTs})`);
    if (positions.length === 0) return [];
    const values = await this.#readSamples(some, `(series, ts) in (${positions.join(',')})`);
    return [...ends].flatMap(([series, times]) => {
      const { id: _, ...name } = series;
      const [value] = toStoredSeries(series, values.get(series)).value ?? [];
      // Undefined: its samples were deleted after the first statement.
      return value === undefined ? [] : [{ ...name, label: null, ...times, value }];
    });
  }

  async #readEnds(some: readonly ClickHouseSeries[], untilMs: number): Promise<Map<ClickHouseSeries, Ends>> {
    const until = `ts <= ${Math.floor(Math.min(Number.MAX_SAFE_INTEGER, untilMs))}`;
    const rows = await this.#clickhouse.select(
      `select series, min(ts), if(countIf(${until}) = 0, max(ts), maxIf(ts, ${until}))
       from telemetry_sample where series in ${idList(some)} group by series`,
    );
    const byId = new Map<bigint, Ends>();
    while (rows.hasMore) byId.set(rows.uint64(), { firstTs: rows.int64(), lastTs: rows.int64() });
    const found = new Map<ClickHouseSeries, Ends>();
    for (const series of some) {
      const ends = byId.get(series.id);
      if (ends !== undefined) found.set(series, ends);
    }
    return found;
  }

  async #readSamples(
    some: readonly ClickHouseSeries[],
    condition: string,
    order = '',
  ): Promise<Map<ClickHouseSeries, Samples>> {
    const rows = await this.#clickhouse.select(
      `select series, ts, value, text from telemetry_sample final
       where series in ${idList(some)} and ${condition} ${order}`,
    );
    const byId = new Map(some.map((series) => [series.id, series]));
    const found = new Map<ClickHouseSeries, Samples>();
    while (rows.hasMore) {
      const series = byId.get(rows.uint64())!;
      const samples: Samples = found.get(series) ?? { ts: [], cells: [] };
      found.set(series, samples);
      samples.ts.push(rows.int64());
      samples.cells.push(readCell(rows, series));
    }
    return found;
  }
}
