import type { Aggregate } from '#contract/telemetry.ts';
import { bucketWidthFor, finiteRange, type TimeRange } from './bucket-width.ts';
import { DeviceCombiner, toCombinedSeries } from './combine-devices.ts';
import { TextLimit } from './text-limit.ts';
import type {
  BucketResolution,
  CombinedResult,
  CombineOptions,
  ReadResult,
  Resolution,
  ScanPosition,
  ScanResult,
  Selection,
  StoredSeries,
} from './telemetry-store.ts';

/** A series of a database server. */
export type ServerSeries = Pick<StoredSeries, 'device' | 'metric' | 'kind' | 'unit'>;

export type SeriesNames = readonly [devices: readonly string[], metrics?: readonly string[] | undefined];

/** The first series of a page: that at a position, or the one after it. */
export type SeriesPage = Omit<ScanPosition, 'ts'> & { readonly isAfter: boolean; readonly limit: number };

/** What a database server answers in one statement. Every result is in the order of the given series. */
export type SampleTables<S extends ServerSeries> = {
  /** Series in the order of device and metric. */
  selectSeries(...names: SeriesNames): Promise<S[]>;
  selectSomeSeries(names: SeriesNames, page: SeriesPage): Promise<S[]>;
  /** Whether a series has more than `points` samples in the range. */
  exceeds(all: readonly S[], selection: Selection, points: number): Promise<boolean>;
  /** The times of the first and the last sample, null without samples. */
  findEnds(all: readonly S[]): Promise<{ first: number | null; last: number | null }>;
  readRaw(some: readonly S[], selection: Selection): Promise<StoredSeries[]>;
  readBuckets(
    some: readonly S[],
    selection: Selection,
    resolution: BucketResolution,
    aggregates: readonly Aggregate[],
  ): Promise<StoredSeries[]>;
  /**
   * The first samples of series in a range, at most `limit` in total; of the first series, those after `afterMs`. Leaves
   * out series without samples.
   */
  scanSeries(
    some: readonly S[],
    selection: Selection,
    limit: number,
    afterMs: number | undefined,
  ): Promise<StoredSeries[]>;
};

/** Series whose samples a scan looks up at a time. */
const SERIES_PER_SCAN = 100;
/** The most that one statement returns: 50 series of 5,000 buckets with 6 columns are 12 MB, and texts about 16 MiB. */
const SERIES_PER_STATEMENT = 50;
const TEXTS_PER_STATEMENT = 16_384;

function* slicesOf<S>(all: readonly S[], length: number): Generator<readonly S[], void> {
  for (let i = 0; i < all.length; i += length) yield all.slice(i, i + length);
}

/** Reads series some at a time, those of text by the texts that each has at most. @throws QueryTooLarge */
const readInSlices = async <S extends ServerSeries>(
  all: readonly S[],
  texts: number,
  read: (some: readonly S[]) => Promise<StoredSeries[]>,
): Promise<StoredSeries[]> => {
  const limit = new TextLimit();
  const found = new Map<S, StoredSeries>();
  const readSome = async (some: readonly S[]): Promise<void> => {
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

/** Reads samples of a database server, raw and in buckets, in statements whose results are bounded. */
export class ServerSampleReader<S extends ServerSeries> {
  readonly #tables: SampleTables<S>;

  constructor(tables: SampleTables<S>) {
    this.#tables = tables;
  }

  /** As `TelemetryStore.read`. */
  async read(
    selection: Selection,
    resolution: Resolution,
    aggregates: readonly Aggregate[],
  ): Promise<ReadResult> {
    const tables = this.#tables;
    const all = await tables.selectSeries(selection.devices, selection.metrics);
    if ('points' in resolution && !(await tables.exceeds(all, selection, resolution.points)))
      return {
        bucketMs: null,
        series: await readInSlices(all, resolution.points, (some) => tables.readRaw(some, selection)),
      };
    const width =
      'points' in resolution ? await this.#widthFor(all, selection, resolution.points) : resolution;
    const read = (some: readonly S[]) => tables.readBuckets(some, selection, width, aggregates);
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
    const all = await this.#tables.selectSeries(selection.devices, selection.metrics);
    const width =
      'points' in resolution
        ? await this.#widthFor(all, selection, resolution.points, leastBucketMs)
        : resolution;
    const combined = all.filter(({ kind }) => kind === 'number' || across === 'count');
    const combiner = new DeviceCombiner(across);
    for (const some of slicesOf(combined, SERIES_PER_STATEMENT))
      for (const series of await this.#tables.readBuckets(some, selection, width, aggregates))
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
      const page = { ...from, limit: SERIES_PER_SCAN };
      const series = await this.#tables.selectSomeSeries([devices, metrics], page);
      const [first] = series;
      const isResumed =
        first !== undefined && first.device === after?.device && first.metric === after.metric;
      const read = await this.#tables.scanSeries(series, selection, room, isResumed ? after.ts : undefined);
      found.push(...read);
      room -= read.reduce((sum, { ts }) => sum + ts.length, 0);
      const [last, lastSeries] = [found.at(-1), series.at(-1)];
      if (room === 0 && last !== undefined)
        return { series: found, next: { device: last.device, metric: last.metric, ts: last.ts.at(-1)! } };
      if (lastSeries === undefined || series.length < SERIES_PER_SCAN) return { series: found, next: null };
      from = { ...from, device: lastSeries.device, metric: lastSeries.metric, isAfter: true };
    }
  }

  async #widthFor(
    all: readonly S[],
    range: TimeRange,
    points: number,
    leastBucketMs = 0,
  ): Promise<{ bucketMs: number }> {
    const isFinite = Number.isFinite(range.toMs - range.fromMs);
    const finite = isFinite ? range : finiteRange(range, await this.#tables.findEnds(all));
    return { bucketMs: bucketWidthFor(finite, points, leastBucketMs) };
  }
}
