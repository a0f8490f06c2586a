import type { Aggregate, MetricKind, Value } from '#contract/telemetry.ts';

/**
 * Values on their way in, as columns: value `i` belongs to `series[index[i]]`, at `ts[i]` epoch ms, and has the
 * type that its series' kind says; numbers are finite. A device is its id (`dev_…`), resolved before.
 */
export type WriteBatch = {
  readonly series: readonly SeriesKey[];
  readonly index: Uint32Array;
  readonly ts: Float64Array;
  readonly value: readonly Value[];
};

export type SeriesKey = { readonly device: string; readonly metric: string; readonly kind: MetricKind };

/** What became of a value: new, replaced another, the same was there, or its metric has another kind. */
export const OUTCOME = { accepted: 0, overwritten: 1, duplicate: 2, kindMismatch: 3 } as const;

/** `outcome[i]` is one of OUTCOME for value `i`; `kinds[s]` is the kind that series `s` of the batch has in the store. */
export type WriteResult = {
  readonly outcome: Uint8Array;
  readonly kinds: readonly MetricKind[];
  /** By position in the batch: the value that the latest overwrite of a series replaced. Optional for a store. */
  readonly replaced?: ReadonlyMap<number, Value>;
};

/** Which samples: devices × metrics (all metrics where left out), `fromMs` ≤ ts < `toMs`; an end may be infinite. */
export type Selection = {
  readonly devices: readonly string[];
  readonly metrics?: readonly string[] | undefined;
  readonly fromMs: number;
  readonly toMs: number;
};

/**
 * How dense: `points` gives raw samples where no series holds more than that in the range, else buckets of
 * ⌈(to − from) / points⌉ ms aligned to the epoch. `bucketMs` always buckets, aligned to the epoch.
 * `starts` are the starts of calendar buckets, ascending, the first ≤ fromMs.
 */
export type Resolution =
  | { readonly points: number }
  | { readonly bucketMs: number }
  | { readonly bucketMs: number; readonly starts: Float64Array };

/** Numbers are a Float64Array; booleans and text an array. */
export type ValueColumn = Float64Array | readonly (boolean | string)[];

/**
 * Columns of a series: `value` for raw samples, the aggregates asked for otherwise. Booleans and text have no
 * aggregates but `count` and `last`. A sum too large for a number is Infinity.
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
  first?: Float64Array;
  last?: ValueColumn;
};

export type StoredMetric = {
  device: string;
  metric: string;
  kind: MetricKind;
  unit: string | null;
  label: string | null;
  firstTs: number;
  lastTs: number;
  value: Value;
};

/** `bucketMs` is null where the series hold raw samples. */
export type ReadResult = { bucketMs: number | null; series: StoredSeries[] };
/** `next` is null at the end. */
export type ScanResult = { series: StoredSeries[]; next: ScanPosition | null };
export type MetricDescription = { unit?: string | null; label?: string | null };

/**
 * Where telemetry is kept. Every method is asynchronous: the store works in a thread, or elsewhere.
 * @throws StorageFull where the disk has no room (writes only; reads go on)
 */
export interface TelemetryStore {
  /** Resolves after the batch is on disk, all of it or (rejecting) nothing. @throws StoreBusy, StorageFull */
  write(batch: WriteBatch): Promise<WriteResult>;
  /** How many series a selection names; the largest number of series and buckets is the caller's to limit. */
  countSeries(devices: readonly string[], metrics?: readonly string[]): Promise<number>;
  /** Columns out, one entry a series that exists (empty where the range is), in order of device and metric. */
  read(selection: Selection, resolution: Resolution, aggregates: readonly Aggregate[]): Promise<ReadResult>;
  /** Raw samples in order of series and time, at most `limit` values after `after`; for exports of any size. */
  scan(selection: Selection, limit: number, after?: ScanPosition): Promise<ScanResult>;
  /**
   * Every metric of these devices with its latest value: the one with the greatest ts up to `untilMs`. If there is none, or
   * without `untilMs`, the one with the greatest ts.
   */
  metrics(devices: readonly string[], metrics?: readonly string[], untilMs?: number): Promise<StoredMetric[]>;
  describe(device: string, metric: string, change: MetricDescription): Promise<StoredMetric | undefined>;
  /** Deletes samples, and series that have none left. Resolves to how many samples went. */
  remove(selection: Selection): Promise<number>;
  /** Samples and bytes on disk. */
  stats(): Promise<{ samples: number; bytes: number }>;
  /** Waits for what was asked before; what is asked after is refused. */
  close(): Promise<void>;
}

/** Where a scan stopped: give it back to go on. */
export type ScanPosition = { readonly device: string; readonly metric: string; readonly ts: number };
