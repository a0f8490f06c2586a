import type { Aggregate } from '#contract/telemetry.ts';
import { bucketWidthFor, finiteRange, type TimeRange } from '../bucket-width.ts';
import { DeviceCombiner, toCombinedSeries } from '../combine-devices.ts';
import { valueOfCell } from '../sample-columns.ts';
import { bucketSeries, columnOf } from '../stored-series.ts';
import { evenGrid, listedGrid, type BucketGrid } from './bucket-grid.ts';
import { Buckets } from './buckets.ts';
import { joinSamples, sliceSamples, type Samples } from './samples.ts';
import { TextLimit } from '../text-limit.ts';
import type { SeriesRow, SeriesTable } from './series-table.ts';
import type { Segment, SeriesSamples } from './series-samples.ts';
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

const nameOf = ({ device, metric, kind, unit }: SeriesRow) => ({ device, metric, kind, unit });

/** Views of a buffer are copied: the whole buffer of an answer moves to the other thread. */
const owned = (column: Float64Array): Float64Array => column.slice();

const rawSeries = (series: SeriesRow, { ts, cells }: Samples): StoredSeries => ({
  ...nameOf(series),
  ts: owned(ts),
  value: columnOf(cells instanceof Float64Array ? owned(cells) : cells, series.kind),
});

/** Reads samples, raw and in buckets, and the latest of each series. */
export class SampleReader {
  readonly #series: SeriesTable;
  readonly #samples: SeriesSamples;

  constructor(series: SeriesTable, samples: SeriesSamples) {
    this.#series = series;
    this.#samples = samples;
  }

  /** As `TelemetryStore.read`. */
  read(selection: Selection, resolution: Resolution, aggregates: readonly Aggregate[]): ReadResult {
    const all = this.#series.select(selection.devices, selection.metrics);
    if ('points' in resolution) {
      const raw = this.#readRaw(all, selection, resolution.points);
      if (raw !== undefined) return { bucketMs: null, series: raw };
    }
    const width = 'points' in resolution ? this.#widthFor(all, selection, resolution.points) : resolution;
    const readSeries = this.#seriesReader(selection, width, aggregates);
    const text = new TextLimit();
    const series = all.map((row) => {
      const found = readSeries(row);
      text.add(found);
      text.requireWithin();
      return found;
    });
    return { bucketMs: width.bucketMs, series };
  }

  /** As `TelemetryStore.readCombined`. */
  readCombined(
    selection: Selection,
    resolution: Resolution,
    { across, aggregates, leastBucketMs }: CombineOptions,
  ): CombinedResult {
    const all = this.#series.select(selection.devices, selection.metrics);
    const width =
      'points' in resolution ? this.#widthFor(all, selection, resolution.points, leastBucketMs) : resolution;
    const readSeries = this.#seriesReader(selection, width, aggregates);
    const combiner = new DeviceCombiner(across);
    for (const series of all)
      if (series.kind === 'number' || across === 'count')
        combiner.add(toCombinedSeries(readSeries(series), aggregates));
    return { bucketMs: width.bucketMs, series: [...combiner.build()] };
  }

  /** As `TelemetryStore.scan`. */
  scan({ devices, metrics, fromMs, toMs }: Selection, limit: number, after?: ScanPosition): ScanResult {
    const found: StoredSeries[] = [];
    let room = limit;
    for (const series of this.#series.pages(devices, metrics, after)) {
      const { device, metric } = series;
      const isResumed = device === after?.device && metric === after.metric;
      const samples = this.#firstSamples(series, { fromMs: isResumed ? after.ts + 1 : fromMs, toMs }, room);
      const last = samples.ts.at(-1);
      if (last === undefined) continue;
      found.push(rawSeries(series, samples));
      room -= samples.ts.length;
      if (room === 0) return { series: found, next: { device, metric, ts: last } };
    }
    return { series: found, next: null };
  }

  /** As `TelemetryStore.metrics`, of one series. */
  metricOf(series: SeriesRow, untilMs = Infinity): StoredMetric {
    const { id: _, ...described } = series;
    const last = this.#samples.last(series, untilMs) ?? this.#samples.last(series, Infinity);
    return {
      ...described,
      firstTs: this.#samples.firstTs(series) ?? Number.NaN,
      lastTs: last?.ts ?? Number.NaN,
      value: valueOfCell(last?.cell ?? 0, series.kind),
    };
  }

  #widthFor(
    all: readonly SeriesRow[],
    range: TimeRange,
    points: number,
    leastBucketMs = 0,
  ): { bucketMs: number } {
    const isFinite = Number.isFinite(range.toMs - range.fromMs);
    const finite = isFinite ? range : finiteRange(range, this.#ends(all));
    return { bucketMs: bucketWidthFor(finite, points, leastBucketMs) };
  }

  /** Returns a function that reads a series in buckets. */
  #seriesReader(
    selection: Selection,
    resolution: BucketResolution,
    aggregates: readonly Aggregate[],
  ): (series: SeriesRow) => StoredSeries {
    const { bucketMs } = resolution;
    const grid = 'starts' in resolution ? listedGrid(resolution.starts) : evenGrid(bucketMs);
    const span = { bucketMs, toMs: selection.toMs };
    return (series) => bucketSeries(series, this.#bucketsOf(series, selection, grid), aggregates, span);
  }

  /** The times of the first and the last sample; infinite where there is none. */
  #ends(all: readonly SeriesRow[]): { first: number; last: number } {
    let [first, last] = [Infinity, -Infinity];
    for (const series of all) {
      first = Math.min(first, this.#samples.firstTs(series) ?? Infinity);
      last = Math.max(last, this.#samples.last(series, Infinity)?.ts ?? -Infinity);
    }
    return { first, last };
  }

  /** The raw samples of all series, or undefined where one holds more than `points`. */
  #readRaw(all: readonly SeriesRow[], range: TimeRange, points: number): StoredSeries[] | undefined {
    const found: StoredSeries[] = [];
    const text = new TextLimit();
    for (const [i, row] of all.entries()) {
      const samples = this.#firstSamples(row, range, points + 1);
      if (samples.ts.length > points) return undefined;
      const series = rawSeries(row, samples);
      text.add(series);
      // Buckets may have less text.
      if (text.isExceeded && all.slice(i + 1).some((later) => this.#exceeds(later, range, points)))
        return undefined;
      text.requireWithin();
      found.push(series);
    }
    return found;
  }

  #exceeds(series: SeriesRow, { fromMs, toMs }: TimeRange, points: number): boolean {
    let count = 0;
    for (const { whole, load } of this.#samples.segments(series, fromMs, toMs)) {
      count += whole?.count ?? load().ts.length;
      if (count > points) return true;
    }
    return false;
  }

  /** At most `limit` samples. */
  #firstSamples(series: SeriesRow, { fromMs, toMs }: TimeRange, limit: number): Samples {
    const parts: Samples[] = [];
    let length = 0;
    for (const segment of this.#samples.segments(series, fromMs, toMs)) {
      const part = segment.load();
      parts.push(part);
      length += part.ts.length;
      if (length >= limit) break;
    }
    return sliceSamples(joinSamples(parts, series.kind === 'string'), 0, limit);
  }

  #bucketsOf(series: SeriesRow, { fromMs, toMs }: TimeRange, grid: BucketGrid): Buckets {
    const buckets = new Buckets(grid);
    const addWhole = ({ whole }: Segment): boolean =>
      whole !== undefined && series.kind !== 'string' && buckets.addWhole(whole);
    for (const segment of this.#samples.segmentsFor(grid, series, fromMs, toMs)) {
      if ('starts' in segment) buckets.addRollup(segment);
      else if (!addWhole(segment)) buckets.add(segment.load());
    }
    return buckets;
  }
}
