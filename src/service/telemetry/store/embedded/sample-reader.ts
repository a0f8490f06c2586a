import type { Aggregate } from '#contract/telemetry.ts';
import type {
  DatabaseSync,
  SQLOutputValue,
  StatementSync,
} from '../../../platform/storage/dialects/sqlite.ts';
import { evenGrid, listedGrid, type BucketGrid } from './bucket-grid.ts';
import { cellOf, columnOf, type Cell, type SeriesRow, type SeriesTable } from './series-table.ts';
import type {
  ReadResult,
  Resolution,
  ScanPosition,
  ScanResult,
  Selection,
  StoredSeries,
} from '../telemetry-store.ts';

type Range = Pick<Selection, 'fromMs' | 'toMs'>;
type Sample = { readonly ts: number; readonly cell: Cell };
type Bucket = {
  readonly start: number;
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly first: Cell;
  readonly last: Cell;
};

/** SQLite gives NULL for a sum that is no number (of opposite infinities). */
const numberOf = (value: SQLOutputValue | undefined): number =>
  typeof value === 'number' ? value : Number.NaN;

const nameOf = ({ device, metric, kind, unit }: SeriesRow) => ({ device, metric, kind, unit });

const rawSeries = (series: SeriesRow, samples: readonly Sample[]): StoredSeries => ({
  ...nameOf(series),
  ts: Float64Array.from(samples, ({ ts }) => ts),
  value: columnOf(
    samples.map(({ cell }) => cell),
    series.kind,
  ),
});

const bucketSeries = (
  series: SeriesRow,
  buckets: readonly Bucket[],
  aggregates: readonly Aggregate[],
): StoredSeries => {
  const { kind } = series;
  const numbers = (of: (bucket: Bucket) => number) => Float64Array.from(buckets, of);
  const columns: Record<Aggregate, () => Partial<StoredSeries>> = {
    avg: () => ({ avg: numbers(({ sum, count }) => sum / count) }),
    min: () => ({ min: numbers(({ min }) => min) }),
    max: () => ({ max: numbers(({ max }) => max) }),
    sum: () => ({ sum: numbers(({ sum }) => sum) }),
    count: () => ({ count: numbers(({ count }) => count) }),
    first: () => ({ first: numbers(({ first }) => Number(first)) }),
    last: () => ({
      last: columnOf(
        buckets.map(({ last }) => last),
        kind,
      ),
    }),
  };
  const shown = aggregates.filter((name) => kind === 'number' || name === 'count' || name === 'last');
  return Object.assign(
    { ...nameOf(series), ts: numbers(({ start }) => start) },
    ...shown.map((name) => columns[name]()),
  );
};

/** Reads samples, raw and in buckets. */
export class SampleReader {
  readonly #series: SeriesTable;
  readonly #statements: Record<'samples' | 'last' | 'bucket', StatementSync>;

  constructor(db: DatabaseSync, series: SeriesTable) {
    this.#series = series;
    const ofRange = 'FROM sample WHERE series = ? AND ts >= ? AND ts < ?';
    this.#statements = {
      samples: db.prepare(`SELECT ts, value ${ofRange} ORDER BY ts LIMIT ?`),
      last: db.prepare(`SELECT value ${ofRange} ORDER BY ts DESC LIMIT ?`),
      bucket: db.prepare(
        `SELECT count(*) AS n, sum(value) AS sum, min(value) AS min, max(value) AS max ${ofRange}`,
      ),
    };
  }

  /** As `TelemetryStore.read`. */
  read(selection: Selection, resolution: Resolution, aggregates: readonly Aggregate[]): ReadResult {
    const { devices, metrics, fromMs, toMs } = selection;
    const all = this.#series.select(devices, metrics);
    if ('points' in resolution) {
      const raw = this.#rawOf(all, selection, resolution.points);
      if (raw !== undefined) return { bucketMs: null, series: raw };
    }
    const bucketMs =
      'points' in resolution ? Math.ceil((toMs - fromMs) / resolution.points) : resolution.bucketMs;
    const grid = 'starts' in resolution ? listedGrid(resolution.starts) : evenGrid(bucketMs);
    return {
      bucketMs,
      series: all.map((series) =>
        bucketSeries(series, this.#bucketsOf(series, selection, grid, aggregates), aggregates),
      ),
    };
  }

  /** As `TelemetryStore.scan`. */
  scan({ devices, metrics, fromMs, toMs }: Selection, limit: number, after?: ScanPosition): ScanResult {
    const found: StoredSeries[] = [];
    let room = limit;
    for (const series of this.#series.select(devices, metrics, after)) {
      const { device, metric } = series;
      const isResumed = device === after?.device && metric === after.metric;
      const samples = this.#samples(series, { fromMs: isResumed ? after.ts + 1 : fromMs, toMs }, room);
      const last = samples.at(-1);
      if (last === undefined) continue;
      found.push(rawSeries(series, samples));
      room -= samples.length;
      if (room === 0) return { series: found, next: { device, metric, ts: last.ts } };
    }
    return { series: found, next: null };
  }

  /** The raw samples of all series, or undefined where one holds more than `points`. */
  #rawOf(all: readonly SeriesRow[], range: Range, points: number): StoredSeries[] | undefined {
    const found: StoredSeries[] = [];
    for (const series of all) {
      const samples = this.#samples(series, range, points + 1);
      if (samples.length > points) return undefined;
      found.push(rawSeries(series, samples));
    }
    return found;
  }

  /** Goes from bucket to bucket along the samples' index: four times as fast as grouping, and a gap costs one step. */
  #bucketsOf(
    series: SeriesRow,
    { fromMs, toMs }: Range,
    grid: BucketGrid,
    aggregates: readonly Aggregate[],
  ): Bucket[] {
    const [wantsFirst, wantsLast] = [aggregates.includes('first'), aggregates.includes('last')];
    const buckets: Bucket[] = [];
    for (let from = fromMs; ;) {
      const start = grid.startOf(from);
      const end = Math.min(toMs, grid.endOf(start));
      const figures = this.#statements.bucket.get(series.id, from, end);
      const count = Number(figures?.['n']);
      if (count > 0) {
        buckets.push({
          start,
          count,
          sum: numberOf(figures?.['sum']),
          min: numberOf(figures?.['min']),
          max: numberOf(figures?.['max']),
          first: wantsFirst ? this.#cellAt('samples', series, from, end) : 0,
          last: wantsLast ? this.#cellAt('last', series, from, end) : 0,
        });
        from = end;
      } else {
        const [next] = this.#samples(series, { fromMs: from, toMs }, 1);
        if (next === undefined) return buckets;
        from = next.ts;
      }
    }
  }

  #cellAt(end: 'samples' | 'last', { id }: SeriesRow, fromMs: number, toMs: number): Cell {
    return cellOf(this.#statements[end].get(id, fromMs, toMs, 1)?.['value']);
  }

  #samples({ id }: SeriesRow, { fromMs, toMs }: Range, limit: number): Sample[] {
    return this.#statements.samples
      .all(id, fromMs, toMs, limit)
      .map(({ ts, value }) => ({ ts: Number(ts), cell: cellOf(value) }));
  }
}
