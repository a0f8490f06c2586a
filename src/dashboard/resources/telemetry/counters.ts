import type { MetricType } from '#contract/metrics.ts';
import { counterColumns, counterUnit, counterViews, type CounterView } from '../../charts/series/counter.ts';
import { isNumberSeries, splitSeriesId, type ChartSeries } from '../../charts/series/series.ts';

export const shownAs = ['value', ...counterViews] as const;
/** How a metric of numbers is shown. */
export type ShownAs = (typeof shownAs)[number];

/** How metrics are shown, where it was chosen. */
export type ChosenViews = ReadonlyMap<string, ShownAs>;
/** The metrics that are shown by their increase or their rate. */
export type CounterViews = ReadonlyMap<string, CounterView>;

type NumberMetric = { metric: string; unit: string | null; metricType: MetricType | null };

/** A counter is shown by its rate: of energy per hour, which is a power. */
export const usualView = ({ metricType, unit }: Omit<NumberMetric, 'metric'>): ShownAs =>
  metricType !== 'counter' ? 'value' : unit?.endsWith('Wh') === true ? 'rate-h' : 'rate-s';

const NONE_CHOSEN: ChosenViews = new Map();

export const counterViewsOf = (metrics: readonly NumberMetric[], chosen = NONE_CHOSEN): CounterViews => {
  const views = new Map([...metrics.map((each) => [each.metric, usualView(each)] as const), ...chosen]);
  return new Map([...views].filter((entry): entry is [string, CounterView] => entry[1] !== 'value'));
};

/** A counter by its increase or its rate; `toMs`: the end of the range. */
const asCounter = (series: ChartSeries, view: CounterView | undefined, toMs: number): ChartSeries => {
  if (view === undefined || !isNumberSeries(series)) return series;
  return {
    ...series,
    label: `${series.label}, ${view === 'increase' ? 'increase' : 'rate'}`,
    unit: counterUnit(series.unit, view),
    columns: counterColumns(series.columns, view, toMs),
    // A rate is mostly smaller than the values, so their decimals do not fit it.
    ...(view === 'increase' ? { isIncrease: true } : { decimals: null }),
  };
};

/** Series whose counters are shown by their increase or rate. */
export const asCounters = (
  all: readonly ChartSeries[],
  counters: CounterViews,
  toMs: number,
): ChartSeries[] =>
  all.map((series) => asCounter(series, counters.get(splitSeriesId(series.id).metric), toMs));

const MIN_REFETCH_MS = 5_000;

/** Increases and rates follow from buckets, so they are read again instead of following live samples. */
export const counterRefetchMs = (windowMs: number, points: number): number =>
  Math.max(MIN_REFETCH_MS, windowMs / Math.max(1, points));
