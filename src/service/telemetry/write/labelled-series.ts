import { distinctMetricOf, prometheusSpelling } from './metric-name.ts';

/** An invalid series. The message is the end of a sentence. */
export class InvalidSeries extends Error {
  override readonly name = 'InvalidSeries';

  constructor(message: string) {
    const { stackTraceLimit } = Error;
    // A body may hold a million invalid series, and a stack trace takes ten times as long as a series.
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

const NAME = '__name__';

/** The device and the metric of a series. */
export type LabelledSeries = {
  /** Undefined: no label names the device. */
  readonly device: string | undefined;
  /** The label that names the device. */
  readonly deviceLabel: string | undefined;
  readonly metric: string;
  /** Distinguishes the series from others with the same metric. */
  readonly identity: string;
};

/**
 * `up{instance="pi:9100",job="node"}` is the metric `up.job.node` of the device `pi:9100`. The first of `deviceLabels` that the series
 * has names the device. Empty labels are omitted.
 * @throws InvalidSeries
 */
export const readLabelledSeries = (
  given: readonly (readonly [name: string, value: string])[],
  deviceLabels: readonly string[],
): LabelledSeries => {
  const labels = given.filter(([, value]) => value !== '').toSorted(([a], [b]) => (a < b ? -1 : 1));
  const twice = labels.find(([label], at) => label === labels[at + 1]?.[0]);
  if (twice !== undefined)
    throw new InvalidSeries(`has the label ${JSON.stringify(twice[0].slice(0, 40))} twice`);
  const valueOf = (wanted: string | undefined) => labels.find(([label]) => label === wanted)?.[1];
  const name = valueOf(NAME);
  if (name === undefined) throw new InvalidSeries(`has no label ${NAME}, which names the metric`);
  const deviceLabel = deviceLabels.find((label) => valueOf(label) !== undefined);
  const others = labels.filter(([label]) => label !== NAME && label !== deviceLabel);
  return { device: valueOf(deviceLabel), deviceLabel, ...distinctMetricOf(name, others, prometheusSpelling) };
};
