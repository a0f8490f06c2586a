import type { Metric } from './metrics.ts';

/** The first metric of a device: the first number with a unit, else the first number, else the first of all. */
export const firstMetricOf = <M extends Pick<Metric, 'kind' | 'unit'>>(
  metrics: readonly M[],
): M | undefined => {
  const numbers = metrics.filter(({ kind }) => kind === 'number');
  return numbers.find(({ unit }) => unit !== null) ?? numbers[0] ?? metrics[0];
};
