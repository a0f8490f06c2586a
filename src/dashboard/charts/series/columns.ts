import type { BucketColumns, NumberColumn, NumberSeries, RawColumns, TimeColumn } from './series.ts';

/** A series' columns ready to draw: typed, NaN for no value. Raw samples have `bucketMs` 0 and no band. */
export interface Columns {
  ts: Float64Array;
  middle: Float64Array;
  low: Float64Array | null;
  high: Float64Array | null;
  count: Float64Array | null;
  /** The first and the last sample of each bucket. */
  opening: Float64Array | null;
  closing: Float64Array | null;
  bucketMs: number;
}

const prepared = new WeakMap<RawColumns | BucketColumns, Columns>();

export function columnsOf(series: Pick<NumberSeries, 'columns'>): Columns {
  const known = prepared.get(series.columns);
  if (known !== undefined) return known;
  const columns = 'bucketMs' in series.columns ? ofBuckets(series.columns) : ofSamples(series.columns);
  prepared.set(series.columns, columns);
  return columns;
}

function ofSamples(columns: RawColumns): Columns {
  return {
    ts: times(columns.ts),
    middle: numbers(columns.value),
    low: null,
    high: null,
    count: null,
    opening: null,
    closing: null,
    bucketMs: 0,
  };
}

function ofBuckets(columns: BucketColumns): Columns {
  return {
    ts: times(columns.ts),
    middle: numbers(columns.avg),
    low: columns.min === undefined ? null : numbers(columns.min),
    high: columns.max === undefined ? null : numbers(columns.max),
    count: columns.count === undefined ? null : times(columns.count),
    opening: columns.first === undefined ? null : numbers(columns.first),
    closing: columns.last === undefined ? null : numbers(columns.last),
    bucketMs: columns.bucketMs,
  };
}

const times = (column: TimeColumn) => (column instanceof Float64Array ? column : Float64Array.from(column));

const numbers = (column: NumberColumn) =>
  column instanceof Float64Array ? column : Float64Array.from(column, (value) => value ?? Number.NaN);
