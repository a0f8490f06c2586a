import { increasesOf, ratesOf, riseBetween } from '#contract/counter-buckets.ts';
import { RATE_MS, rateUnit } from '#contract/counter-rate.ts';
import type { BucketColumns, NumberColumn, RawColumns, TimeColumn } from './series.ts';

/** How a counter is shown instead of by its value: by its increase, or by its rate per unit of time. */
export const counterViews = ['increase', 'rate-s', 'rate-min', 'rate-h'] as const;
export type CounterView = (typeof counterViews)[number];

export type RateView = Exclude<CounterView, 'increase'>;

/** The unit of time of a rate. */
const RATE_UNITS = { 'rate-s': 's', 'rate-min': 'min', 'rate-h': 'h' } as const;

/** The length of the unit of time of a rate, in ms. */
export const perMs = (view: RateView): number => RATE_MS[RATE_UNITS[view]];

/**
 * The increase or the rate of a counter since the previous point, so the first point has none. A counter that falls
 * has restarted from 0, as in Prometheus. Buckets need their first and last samples; of several restarts within one
 * bucket, one is counted, and none if the counter rises past all its earlier values again. `toMs`: the end of the
 * range, where the last bucket may be cut off.
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
      values.push(perUnit(riseBetween(at(value, before), at(value, i)), ts[i]! - ts[before]!, view));
    }
    before = i;
  }
  return { ts: times, value: values };
}

function ofBuckets(columns: BucketColumns, view: CounterView, toMs: number): BucketColumns {
  const { bucketMs, ts, avg, min = avg, max = avg, count, first = avg, last = avg } = columns;
  const buckets = { bucketMs, ts, min, max, count, first, last };
  const values =
    view === 'increase'
      ? increasesOf(buckets)
      : ratesOf(buckets, toMs).map((rate) => rate * ratePerSecond(view));
  const shown = values.slice(1);
  const rest: Pick<BucketColumns, 'ts' | 'count'> = { ts: withoutFirst(ts) };
  if (count !== undefined) rest.count = withoutFirst(count);
  return { bucketMs, ...rest, avg: shown };
}

const withoutFirst = (column: TimeColumn): TimeColumn => column.slice(1);
const at = (column: NumberColumn, row: number): number => column[row] ?? Number.NaN;

const perUnit = (increase: number, elapsedMs: number, view: CounterView): number =>
  view === 'increase' ? increase : (increase / Math.max(1, elapsedMs)) * perMs(view);

/** What a rate per second is multiplied by; an increase stays as it is. */
export const ratePerSecond = (view: CounterView): number =>
  view === 'increase' ? 1 : perMs(view) / RATE_MS.s;

/** The unit of a counter shown so: `kWh` becomes `kWh/h`. */
export const counterUnit = (unit: string | null, view: CounterView): string | null =>
  view === 'increase' ? unit : rateUnit(unit, RATE_UNITS[view]);
