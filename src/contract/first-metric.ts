import type { Metric } from './metrics.ts';

type Described = Pick<Metric, 'metric' | 'kind' | 'unit' | 'metricType'>;

/** Units of amounts that only add up: energy. */
const TOTALS = new Set(['Wh', 'kWh', 'MWh', 'J', 'kJ', 'MJ']);
/** Units of the supply, the connection and the run time of a device, which are rarely what it is for. */
const SUPPLY = new Set(['VA', 'var', 'V', 'mV', 'A', 'mA', 'Hz', 'dBm', 'dB', 'ms', 's', 'min', 'h', 'B']);

/** Parts of a whole that has a metric of its own, as Telegraf and collectd name those of a machine. */
const PART = /(^|\.)cpu-?\d+\.|^cpu[.-].*(guest|idle|iowait|irq|interrupt|nice|steal)|inodes/;

/**
 * The rank of a metric among those of its device, 0 first: measurements with a unit, then the supply of the device, parts of
 * a measurement, totals with a unit, numbers without a unit, counters without a unit, and states.
 */
const rankOf = ({ metric, kind, unit, metricType }: Described): number => {
  if (kind !== 'number') return 6;
  const isTotal = metricType === 'counter' || (unit !== null && TOTALS.has(unit));
  if (unit === null) return isTotal ? 5 : 4;
  if (isTotal) return 3;
  if (PART.test(metric)) return 2;
  return SUPPLY.has(unit) ? 1 : 0;
};

/** Sorts the metrics of a device by what they say about it. Those of the same rank keep their order. */
export const sortByRelevance = <M extends Described>(metrics: readonly M[]): M[] =>
  metrics.toSorted((a, b) => rankOf(a) - rankOf(b));

/** The first metric of a device: a measurement with a unit if there is one. */
export const firstMetricOf = <M extends Described>(metrics: readonly M[]): M | undefined =>
  sortByRelevance(metrics)[0];
