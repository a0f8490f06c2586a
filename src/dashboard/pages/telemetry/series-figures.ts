import type { LiveSource } from '../../charts/live/live-window.ts';
import type { TimeSpan } from '../../charts/series/time-span.ts';
import { alignedTexts, formatNumber, roundedMean } from '../../ui/format/format-value.ts';
import {
  COMBINED_DEVICE,
  isNumberSeries,
  isStateSeries,
  type ChartSeries,
  type NumberSeries,
  type StateSeries,
  splitSeriesId,
  stateText,
} from '../../charts/series/series.ts';
import { changesText } from '../../charts/summarise-series.ts';
import {
  counterStatisticsOf,
  stateStatisticsOf,
  statisticsOf,
  type SeriesStatistics,
} from '../../charts/tracks/statistics.ts';

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
      changes: string;
      last: string;
      count: number;
    };

/**
 * The figures of each series by its ID, without those that have no samples within the span. A comparison has the decimals
 * of the series that it belongs to.
 */
export const figuresOf = (
  all: readonly ChartSeries[],
  span: TimeSpan,
  live: LiveSource | undefined,
): ReadonlyMap<string, SeriesFigures> => {
  const states = all
    .filter(isStateSeries)
    .map((series) => [series.id, ofStates(series, span, live)] as const);
  const groups = Map.groupBy(all.filter(isNumberSeries), ({ id, comparisonOf }) => comparisonOf ?? id);
  const numbers = [...groups.values()].flatMap((group) => ofNumbers(group, span, live));
  return new Map(
    [...states, ...numbers].flatMap(([id, figures]) => (figures === undefined ? [] : [[id, figures]])),
  );
};

type Measured = { series: NumberSeries; found: SeriesStatistics };

/**
 * The figures of a series and its comparisons. Each is written alike for all of them, with three digits of the range of
 * the first one that has samples.
 */
const ofNumbers = (
  group: readonly NumberSeries[],
  span: TimeSpan,
  live: LiveSource | undefined,
): (readonly [string, SeriesFigures])[] => {
  const measured = group.flatMap((series): Measured[] => {
    const { id, counter } = series;
    const found =
      counter === undefined
        ? statisticsOf(series, span, live?.numbers(id))
        : counterStatisticsOf(counter, span);
    return found === undefined ? [] : [{ series, found }];
  });
  const [first] = measured;
  if (first === undefined) return [];
  // A counter by its rate and by its increase over the span, however it is shown.
  const { counter } = first.series;
  const { min, max } = first.found;
  const texts = (figureOf: (found: SeriesStatistics) => number, isChange = false) => {
    const figures = measured.map(({ found }) => figureOf(found));
    if (counter === undefined) return alignedTexts(figures, max - min, first.series);
    return isChange ? alignedTexts(figures, 0, counter.increases) : alignedTexts(figures, max, counter.rates);
  };
  const figures = {
    min: texts((found) => found.min),
    mean: texts(({ min: low, mean, max: high, last }) =>
      counter === undefined ? roundedMean(mean, [low, high, last.value], first.series) : mean,
    ),
    max: texts((found) => found.max),
    last: texts((found) => found.last.value),
    change: texts((found) => Math.abs(found.change), true),
  };
  return measured.map(({ series: { id, comparisonOf }, found: { change, count } }, row) => {
    const isCombined = splitSeriesId(comparisonOf ?? id).deviceId === COMBINED_DEVICE;
    return [
      id,
      {
        kind: 'number',
        min: counter === undefined ? figures.min[row]! : null,
        mean: figures.mean[row]!,
        max: figures.max[row]!,
        last: figures.last[row]!,
        change: withSign(change, figures.change[row]!),
        count: counter === undefined && isCombined ? null : count,
      },
    ];
  });
};

/** `0`, `0.00`, `0.00 kWh` */
const ZERO = /^0(?:[.,]0+)?(?![\d.,])/;

/** A true minus sign is as wide as the plus sign. */
const withSign = (change: number, size: string): string =>
  ZERO.test(size) ? size : `${change > 0 ? '+' : '−'}${size}`;

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
    // In quotes, as a text may begin with a number.
    share: `${about}${percent}% ${typeof main.value === 'string' ? `“${main.value}”` : stateText(main.value)}`,
    changes: changesText(changes, series),
    last: stateText(last),
    count,
  };
};
