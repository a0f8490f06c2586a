import type { BucketColumns, NumberColumn, RawColumns, TimeColumn } from './series.ts';

/** How a counter is shown instead of by its value: by its increase, or by its rate per unit of time. */
export const counterViews = ['increase', 'rate-s', 'rate-min', 'rate-h'] as const;
export type CounterView = (typeof counterViews)[number];

/** The length of the unit of a rate, in milliseconds. */
const PER_MS: Record<Exclude<CounterView, 'increase'>, number> = {
  'rate-s': 1_000,
  'rate-min': 60_000,
  'rate-h': 3_600_000,
};

/**
 * The increase or the rate of a counter since the point before, so the first point has none. A counter that falls has
 * restarted from 0, as in Prometheus. Buckets need their first and last samples; of several restarts within one bucket,
 * one is counted, and none if the counter rises past all its earlier values again. `toMs`: the end of the range, where the last bucket may be cut off.
 */
export const counterColumns = (
  columns: RawColumns | BucketColumns,
  view: CounterView,
  toMs: number,
): RawColumns | BucketColumns =>
  'bucketMs' in columns ? ofBuckets(columns, view, toMs) : ofSamples(columns, view);

function ofSamples({ ts, value }: RawColumns, view: CounterView): RawColumns {
  const [times, values]: [number[], number[]] = [[], []];
  let before = -1;
  for (let i = 0; i < ts.length; i += 1) {
    if (Number.isNaN(at(value, i))) continue;
    if (before !== -1) {
      times.push(ts[i]!);
      values.push(perUnit(rise(at(value, before), at(value, i)), ts[i]! - ts[before]!, view));
    }
    before = i;
  }
  return { ts: times, value: values };
}

function ofBuckets(columns: BucketColumns, view: CounterView, toMs: number): BucketColumns {
  const { bucketMs, ts, avg, min, max, count, first = avg, last = avg } = columns;
  const elapsedMs = elapsedOf(columns, toMs);
  const values: number[] = [];
  for (let i = 1; i < ts.length; i += 1) {
    const within = riseWithin(at(first, i), at(last, i), at(min, i), at(max, i));
    const total = rise(at(last, i - 1), at(first, i)) + within;
    values.push(perUnit(total, elapsedMs(i), view));
  }
  const rest: Pick<BucketColumns, 'ts' | 'count'> = { ts: withoutFirst(ts) };
  if (count !== undefined) rest.count = withoutFirst(count);
  return { bucketMs, ...rest, avg: values, min: values, max: values };
}

/** Buckets on each side whose samples give the usual step between samples. */
const NEIGHBOURS = 16;

/**
 * The time from the last sample of the bucket before to the last of this one. It is not known, but follows from the
 * number of samples and their usual step: a bucket of 90 s with a sample a minute has one or two.
 */
function elapsedOf({ bucketMs, ts, count }: BucketColumns, toMs: number): (row: number) => number {
  const endOf = (row: number) => Math.min(toMs, ts[row]! + bucketMs);
  const widthOf = (row: number) => endOf(row) - endOf(row - 1);
  const isWhole = (row: number) => row > 0 && row < ts.length && widthOf(row) === bucketMs;
  return (row) => {
    if (count === undefined || !isWhole(row)) return widthOf(row);
    let [buckets, samples] = [0, 0];
    for (let i = row - NEIGHBOURS; i <= row + NEIGHBOURS; i += 1) {
      if (!isWhole(i)) continue;
      buckets += 1;
      samples += count[i]!;
    }
    const stepMs = (buckets * bucketMs) / samples;
    return Math.min(bucketMs + stepMs, Math.max(bucketMs - stepMs, stepMs, count[row]! * stepMs));
  };
}

const withoutFirst = (column: TimeColumn): TimeColumn => column.slice(1);
const at = (column: NumberColumn, row: number): number => column[row] ?? Number.NaN;

/** From one sample to the next. */
const rise = (from: number, to: number): number => (to < from ? to : to - from);

/** From the first sample of a bucket to its last. A restart shows in a value below the first or above the last. */
function riseWithin(first: number, last: number, min: number, max: number): number {
  const hasRestarted = min < first || max > last;
  if (!hasRestarted) return last - first;
  // It rose to the highest value before the restart, unless it rose past that again: then at least to the first.
  return last + (max > last ? max - first : 0);
}

const perUnit = (increase: number, elapsedMs: number, view: CounterView): number =>
  view === 'increase' ? increase : (increase / Math.max(1, elapsedMs)) * PER_MS[view];

const UNIT_ENDS: Record<CounterView, string> = {
  increase: '',
  'rate-s': '/s',
  'rate-min': '/min',
  'rate-h': '/h',
};

/** The unit of a counter shown so: `kWh` becomes `kWh/h`. */
export const counterUnit = (unit: string | null, view: CounterView): string | null =>
  view === 'increase' ? unit : `${unit ?? '1'}${UNIT_ENDS[view]}`;
