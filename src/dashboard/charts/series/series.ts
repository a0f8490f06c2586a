import type { MetricKind } from '#contract/telemetry.ts';

export const colourSlots = [1, 2, 3, 4, 5, 6, 7, 8] as const;
/** Which of the eight series colours (`--series-1` … `--series-8`). */
export type ColourSlot = (typeof colourSlots)[number];

export const dashStyles = ['solid', 'dashed', 'dotted', 'dash-dotted'] as const;
/** How the line of a series is drawn: with more than eight series, colours repeat and dashes differ. */
export type DashStyle = (typeof dashStyles)[number];

/** A column of the API (null: no value) or a typed array (NaN: no value). */
export type NumberColumn = Float64Array | readonly (number | null)[];
export type TimeColumn = Float64Array | readonly number[];

/** Samples as they were written. `ts`: epoch ms, ascending. */
export interface RawColumns {
  ts: TimeColumn;
  value: NumberColumn;
}

/** Buckets of `bucketMs`; `ts` is a bucket's start, empty buckets are left out. */
export interface BucketColumns {
  bucketMs: number;
  ts: TimeColumn;
  avg: NumberColumn;
  /** The lowest and the highest sample of each bucket, where they are known. */
  min?: NumberColumn;
  max?: NumberColumn;
  count?: TimeColumn;
  /** The first and the last sample of each bucket. */
  first?: NumberColumn;
  last?: NumberColumn;
}

interface SeriesHead {
  /** `seriesId(device, metric)`, by which live samples find the series. */
  id: string;
  label: string;
  /** The name of its device, if the label has more than that. */
  deviceName?: string;
  /** The name beside its line in the chart. Default: the label. */
  lineLabel?: string;
  unit: string | null;
  colour: ColourSlot;
  /** Default: solid. */
  dash?: DashStyle;
  /** The ID of the series that this one shows in an earlier period. Drawn fainter and finely dashed. */
  comparisonOf?: string;
  /** How much later than in the data it is drawn, as a comparison. */
  laterByMs?: number;
}

export interface NumberSeries extends SeriesHead {
  kind: 'number';
  /** Read once for each identity: new data needs a new object. */
  columns: RawColumns | BucketColumns;
  /** Each value is an increase: the change over a range is their sum. */
  isIncrease?: boolean;
  /** Of a counter that is shown by its increase or its rate: both, for its statistics. */
  counter?: CounterSeries;
  /** Of shown values; default: as many as they need. */
  decimals?: number | null;
  /** Series with the same text share a value axis. Default: by unit and magnitude. */
  axis?: string;
}

export interface CounterSeries {
  increases: NumberSeries;
  rates: NumberSeries;
  /** The length of the unit of the rates. */
  perMs: number;
  /** From where the first increase counts. */
  startMs: number;
}

/** Booleans and strings. The `value` of a bucket is its last one. */
export interface StateSeries extends SeriesHead {
  kind: Exclude<MetricKind, 'number'>;
  columns: {
    ts: TimeColumn;
    value: readonly (boolean | string)[];
    bucketMs?: number;
    /** Of each bucket, where it is known. */
    count?: TimeColumn;
  };
}

export type ChartSeries = NumberSeries | StateSeries;

export const isNumberSeries = (series: ChartSeries): series is NumberSeries => series.kind === 'number';
export const isStateSeries = (series: ChartSeries): series is StateSeries => series.kind !== 'number';

/** Stands for the device of a series that combines several. */
export const COMBINED_DEVICE = 'all';

/** The ID of a device contains no slash, so the pair is unambiguous for any name of a metric. */
export const seriesId = (deviceId: string, metric: string) => `${deviceId}/${metric}`;

export const splitSeriesId = (id: string): { deviceId: string; metric: string } => {
  const slash = id.indexOf('/');
  return { deviceId: id.slice(0, slash), metric: id.slice(slash + 1) };
};

/** The text of a state: strings unchanged, booleans as in the API. */
export const stateText = (value: boolean | string) => String(value);
