import { usualRatePer } from '#contract/counter-rate.ts';
import type { MetricType } from '#contract/metrics.ts';
import type { Series } from '#contract/telemetry.ts';
import {
  counterColumns,
  counterUnit,
  counterViews,
  perMs,
  ratePerSecond,
  type CounterView,
  type RateView,
} from '../../charts/series/counter.ts';
import {
  isNumberSeries,
  splitSeriesId,
  type ChartSeries,
  type NumberSeries,
} from '../../charts/series/series.ts';

export const shownAs = ['value', ...counterViews] as const;
/** How a metric of numbers is shown. */
export type ShownAs = (typeof shownAs)[number];

/** How metrics are shown, where it was chosen. */
export type ChosenViews = ReadonlyMap<string, ShownAs>;
/** The metrics that are shown by their increase or their rate. */
export type CounterViews = ReadonlyMap<string, CounterView>;

type NumberMetric = { metric: string; unit: string | null; metricType: MetricType | null };

const usualRate = (unit: string | null): RateView => `rate-${usualRatePer(unit)}`;

/** A counter is shown by its rate. */
export const usualView = ({ metricType, unit }: Omit<NumberMetric, 'metric'>): ShownAs =>
  metricType === 'counter' ? usualRate(unit) : 'value';

const NONE_CHOSEN: ChosenViews = new Map();

export const counterViewsOf = (metrics: readonly NumberMetric[], chosen = NONE_CHOSEN): CounterViews => {
  const views = new Map([...metrics.map((each) => [each.metric, usualView(each)] as const), ...chosen]);
  return new Map([...views].filter((entry): entry is [string, CounterView] => entry[1] !== 'value'));
};

type NamedNumbers = Pick<NumberSeries, 'label' | 'unit' | 'decimals' | 'isIncrease'>;

/** The name and unit of a counter that is shown by its increase or its rate. */
export const asCounterName = <S extends NamedNumbers>(series: S, view: CounterView): S => ({
  ...series,
  label: `${series.label}, ${view === 'increase' ? 'increase' : 'rate'}`,
  unit: counterUnit(series.unit, view),
  // A rate is mostly smaller than the values, so their decimals do not fit it.
  ...(view === 'increase' ? { isIncrease: true } : { decimals: null }),
});

/** A counter by its increase or its rate; `toMs`: the end of the range. */
const asCounter = (series: ChartSeries, view: CounterView | undefined, toMs: number): ChartSeries => {
  if (view === undefined || !isNumberSeries(series)) return series;
  const viewed = (each: CounterView): NumberSeries => ({
    ...asCounterName(series, each),
    columns: counterColumns(series.columns, each, toMs),
  });
  const shown = viewed(view);
  const rate = view === 'increase' ? usualRate(series.unit) : view;
  const counter = {
    increases: view === 'increase' ? shown : viewed('increase'),
    rates: view === 'increase' ? viewed(rate) : shown,
    perMs: perMs(rate),
    startMs: series.columns.ts[0] ?? toMs,
  };
  return { ...shown, counter };
};

/** The aggregate of the API that a view of a counter follows from. */
const aggregateOf = (view: CounterView) => (view === 'increase' ? 'increase' : 'rate');

export const counterAggregates = (counters: CounterViews): ('increase' | 'rate')[] => [
  ...new Set([...counters.values()].map(aggregateOf)),
];

/** The increases or rates that the service computed. */
export const counterColumn = (
  series: Pick<Series, 'increase' | 'rate'>,
  view: CounterView,
): readonly (number | null)[] =>
  (series[aggregateOf(view)] ?? []).map((value) => value && value * ratePerSecond(view));

/** Series whose counters are shown by their increase or rate. */
export const asCounters = (
  all: readonly ChartSeries[],
  counters: CounterViews,
  toMs: number,
): ChartSeries[] =>
  all.map((series) => asCounter(series, counters.get(splitSeriesId(series.id).metric), toMs));
