import type { Across } from '#contract/across.ts';
import type { Aggregate, MetricKind, Value } from '#contract/telemetry.ts';
import type { SampleColumns } from './sample-columns.ts';

/**
 * Samples to write. A device is its ID (`dev_…`), resolved before. `units`: the unit of each series, which the store
 * keeps for series that are new.
 */
export type WriteBatch = SampleColumns & { readonly units?: readonly (string | null)[] };

/**
 * The outcome of a sample: stored (new, unless the store does not distinguish the next two), replaced a different value,
 * already stored, of another kind than its metric, or of a new metric of a device that has reached the limit of
 * metrics.
 */
export const OUTCOME = {
  accepted: 0,
  overwritten: 1,
  duplicate: 2,
  kindMismatch: 3,
  metricLimit: 4,
} as const;

/** Series of a batch for which the overwritten value is returned. */
export const MAX_REPLACED = 20;

/**
 * `outcome[i]` is one of OUTCOME for sample `i`; `kinds[s]` is the kind that series `s` of the batch has in the store.
 */
export type WriteResult = {
  readonly outcome: Uint8Array;
  readonly kinds: readonly MetricKind[];
  /**
   * By position in the batch: the value that the latest overwrite of a series replaced, of at most MAX_REPLACED
   * series. Optional for a store.
   */
  readonly replaced?: ReadonlyMap<number, Value>;
};

/** Selects samples: devices × metrics (default: all), `fromMs` ≤ ts < `toMs`. Both ends may be infinite. */
export type Selection = {
  readonly devices: readonly string[];
  readonly metrics?: readonly string[] | undefined;
  readonly fromMs: number;
  readonly toMs: number;
};

/**
 * The resolution. `points`: raw samples if no series has more in the range, otherwise buckets of ⌈(to − from) /
 * points⌉ ms, wide ones rounded up, aligned to the epoch. `bucketMs`: always buckets, aligned to the epoch. `starts`
 * are the starts of calendar buckets, ascending, the first ≤ fromMs.
 */
export type Resolution = { readonly points: number } | BucketResolution;
export type BucketResolution =
  | { readonly bucketMs: number }
  | { readonly bucketMs: number; readonly starts: Float64Array };

/** Numbers are a Float64Array; booleans and text an array. */
export type ValueColumn = Float64Array | readonly (boolean | string)[];

/**
 * A series as columns: `value` for raw samples, otherwise the requested aggregates. Booleans and text only have the
 * aggregates `count`, `first` and `last`. A sum that is too large is Infinity.
 */
export type StoredSeries = {
  device: string;
  metric: string;
  kind: MetricKind;
  unit: string | null;
  ts: Float64Array;
  value?: ValueColumn;
  avg?: Float64Array;
  min?: Float64Array;
  max?: Float64Array;
  sum?: Float64Array;
  count?: Float64Array;
  first?: ValueColumn;
  last?: ValueColumn;
  /** Of a counter, NaN in the first bucket. */
  increase?: Float64Array;
  rate?: Float64Array;
};

export type StoredMetric = {
  device: string;
  metric: string;
  kind: MetricKind;
  unit: string | null;
  /** Only of metrics that an older version described. */
  label: string | null;
  firstTs: number;
  lastTs: number;
  value: Value;
};

/** `byDevice`: in the order of the devices of the selection. */
export type SeriesCounts = { readonly byDevice: Uint32Array; readonly metrics: number };

/** `bucketMs`: null for raw samples. */
export type ReadResult = { bucketMs: number | null; series: StoredSeries[] };

/** The aggregates of a bucket that are combined. The count becomes the number of devices. */
export type CombinedAggregate = Exclude<Aggregate, 'count'>;

/** Of each bucket, the values of the devices combined, and the number of devices that have one. */
export type CombinedColumn = { readonly values: Float64Array; readonly devices: Float64Array };

/** A metric of several devices in buckets: sums for a mean, so that parts can be combined with others. */
export type CombinedSeries = {
  readonly metric: string;
  /** The devices with samples in the range. */
  readonly devices: readonly string[];
  /** The stored unit of each device. */
  readonly units: readonly (string | null)[];
  readonly ts: Float64Array;
  /** Number of devices with samples. */
  readonly count: Float64Array;
  readonly columns: Partial<Record<CombinedAggregate, CombinedColumn>>;
};

/** Buckets that follow from `points` are at least `leastBucketMs` wide. */
export type CombineOptions = {
  readonly across: Across;
  readonly aggregates: readonly CombinedAggregate[];
  readonly leastBucketMs: number;
};
export type CombinedResult = { bucketMs: number; series: CombinedSeries[] };
/** `next` is null at the end. */
export type ScanResult = { series: StoredSeries[]; next: ScanPosition | null };

/**
 * A telemetry store. All methods are asynchronous, because a store may run in a thread or on another machine.
 * @throws StorageFull for writes if the disk is full; reads continue
 */
export interface TelemetryStore {
  /** Whether a write reports overwrites and duplicates. Otherwise it accepts them as if they were new. */
  readonly countsRepeats: boolean;
  /**
   * Resolves after the whole batch is on disk. If it rejects, nothing is stored, unless the connection to a database
   * was lost meanwhile: write the batch again.
   * @throws TypeError if the batch breaks the rules of WriteBatch, StoreBusy, StorageFull, DiskUnwritable,
   * TelemetryUnavailable, DatabaseUnavailable
   */
  write(batch: WriteBatch): Promise<WriteResult>;
  /** The number of series of a selection. The caller limits the number of series and buckets. */
  countSeries(devices: readonly string[], metrics?: readonly string[]): Promise<number>;
  /** The number of series of each device of a selection, and of different metrics. */
  countSeriesByDevice(devices: readonly string[], metrics?: readonly string[]): Promise<SeriesCounts>;
  /**
   * Reads one entry per existing series (empty without samples in the range), sorted by device and metric.
   * @throws QueryTooLarge if there is more text than a read may return, or the database takes too long
   */
  read(selection: Selection, resolution: Resolution, aggregates: readonly Aggregate[]): Promise<ReadResult>;
  /**
   * Reads each metric in buckets that combine its devices. For many devices, call it for some at a time and combine the
   * results (`DeviceCombiner`).
   */
  readCombined(
    selection: Selection,
    resolution: Resolution,
    options: CombineOptions,
  ): Promise<CombinedResult>;
  /** Reads raw samples sorted by series and time, at most `limit` samples after `after`. For exports of any size. */
  scan(selection: Selection, limit: number, after?: ScanPosition): Promise<ScanResult>;
  /**
   * Every metric of these devices with its latest value: the one with the greatest ts up to `untilMs`. If there is
   * none, or without `untilMs`, the one with the greatest ts. The caller limits the number of series.
   */
  metrics(devices: readonly string[], metrics?: readonly string[], untilMs?: number): Promise<StoredMetric[]>;
  /**
   * Deletes samples, and series without remaining samples. Resolves to the number of deleted samples.
   * @throws TelemetryUnavailable after it has deleted all others, if some samples are damaged
   */
  remove(selection: Selection): Promise<number>;
  /**
   * Returns the space of parts to the disk whose samples are all before `toMs`. For retention, which then removes the
   * other samples. Only in stores whose removals keep that space.
   */
  dropBefore?(toMs: number): Promise<void>;
  /**
   * Deletes the samples of all series before `toMs`, or before a time up to a day earlier. For retention, in place of
   * `dropBefore` and a removal for each device. Only in stores for which such removals are expensive.
   */
  removeBefore?(toMs: number): Promise<void>;
  /** The number of samples, and their bytes on disk. @throws TelemetryUnavailable, DatabaseUnavailable */
  stats(): Promise<{ samples: number; bytes: number }>;
  /** Waits for running calls. Later calls are rejected. */
  close(): Promise<void>;
}

/** Where a scan stopped. Pass it to continue. */
export type ScanPosition = { readonly device: string; readonly metric: string; readonly ts: number };
