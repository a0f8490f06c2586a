import type { LiveSource, TimeSpan } from '../../charts/live/live-window.ts';
import { formatNumber, formatValue } from '../../charts/axes/format-value.ts';
import {
  COMBINED_DEVICE,
  isNumberSeries,
  type ChartSeries,
  type CounterSeries,
  type NumberSeries,
  type StateSeries,
  splitSeriesId,
  stateText,
} from '../../charts/series/series.ts';
import { counterStatisticsOf, stateStatisticsOf, statisticsOf } from '../../charts/tracks/statistics.ts';

/** The figures of a series as text: those of numbers, those of states. */
export type SeriesFigures =
  | {
      kind: 'number';
      /** Null for a counter, which has rates. */
      min: string | null;
      max: string;
      mean: string;
      last: string;
      change: string;
      /** Null for combined devices, of which only buckets are known. */
      count: number | null;
    }
  | {
      kind: 'state';
      /** How much of the time a state held, and which. */
      share: string;
      changes: number;
      last: string;
      count: number;
    };

/** Without set decimals, figures are rounded to a thousandth of their range; the table has full precision. */
const DIGITS_OF_RANGE = 3;

/** Undefined where nothing lies within the span. */
export const figuresOf = (
  series: ChartSeries,
  span: TimeSpan,
  live: LiveSource | undefined,
): SeriesFigures | undefined =>
  isNumberSeries(series) ? ofNumbers(series, span, live) : ofStates(series, span, live);

/** A counter by its rate and by its increase over the span, however it is shown. */
const ofCounter = (counter: CounterSeries, span: TimeSpan): SeriesFigures | undefined => {
  const found = counterStatisticsOf(counter, span);
  if (found === undefined) return undefined;
  const { mean, max, last, change, count } = found;
  const rate = (value: number) => formatValue(roundedTo(max, value), counter.rates);
  return {
    kind: 'number',
    min: null,
    mean: rate(mean),
    max: rate(max),
    last: rate(last.value),
    change: withSign(change, (value) => formatValue(value, counter.increases)),
    count,
  };
};

const ofNumbers = (
  series: NumberSeries,
  span: TimeSpan,
  live: LiveSource | undefined,
): SeriesFigures | undefined => {
  if (series.counter !== undefined) return ofCounter(series.counter, span);
  const found = statisticsOf(series, span, live?.numbers(series.id));
  if (found === undefined) return undefined;
  const { min, max, mean, last, change, count } = found;
  const isRounded = series.decimals == null && min < max;
  const text = (value: number) => formatValue(isRounded ? roundedTo(max - min, value) : value, series);
  return {
    kind: 'number',
    min: text(min),
    mean: text(mean),
    max: text(max),
    last: text(last.value),
    change: withSign(change, text),
    count: splitSeriesId(series.comparisonOf ?? series.id).deviceId === COMBINED_DEVICE ? null : count,
  };
};

/** A true minus sign is as wide as the plus sign. */
const withSign = (change: number, text: (value: number) => string): string => {
  const size = text(Math.abs(change));
  return change === 0 ? size : `${change > 0 ? '+' : '−'}${size}`;
};

const roundedTo = (range: number, value: number): number => {
  if (range === 0) return value;
  const decimals = DIGITS_OF_RANGE - 1 - Math.floor(Math.log10(range));
  return decimals < 0 || decimals > 15 ? value : Number(value.toFixed(decimals));
};

const ofStates = (
  series: StateSeries,
  span: TimeSpan,
  live: LiveSource | undefined,
): SeriesFigures | undefined => {
  const found = stateStatisticsOf(series, span, live?.states(series.id));
  if (found === undefined) return undefined;
  const { last, changes, count, main } = found;
  // Of a bucket only its last state is known.
  const about = series.columns.bucketMs === undefined ? '' : 'about ';
  const percent = formatNumber(Number((main.share * 100).toPrecision(3)));
  return {
    kind: 'state',
    share: `${about}${percent}\u00a0% ${stateText(main.value)}`,
    changes,
    last: stateText(last),
    count,
  };
};

export const changesText = (changes: number): string =>
  changes === 0 ? 'no change' : `${formatNumber(changes)} ${changes === 1 ? 'change' : 'changes'}`;
