import { LabelledSeriesWriter } from './labelled-series-writer.ts';
import { InvalidSeries, type LabelledSeries } from './labelled-series.ts';
import { distinctMetricOf, otlpSpelling } from './metric-name.ts';
import {
  readAttributes,
  readOtlpMetrics,
  readPoint,
  textsOf,
  valuesOf,
  type OtlpMetric,
  type OtlpValue,
} from './otlp-metrics.ts';
import type { SampleParser } from './read-samples.ts';

/** Set by SDKs that were given no name. */
const UNKNOWN_SERVICE = 'unknown_service';
const SERVICE = ['service.namespace', 'service.name'];
/** More characters than this in one data point are an error of its sender. */
const MAX_CHARACTERS = 4_096;
/** The flag of a data point that says that its series has ended. */
const NO_RECORDED_VALUE = 1;

type Labels = ReadonlyMap<string, string>;

/** The attributes of a resource that name its device and its service. */
const resourceLabels = ({ resource }: OtlpMetric, deviceAttributes: readonly string[]): Labels =>
  textsOf(
    new Map(
      [...deviceAttributes, ...SERVICE].flatMap((name) =>
        resource.has(name) ? [[name, resource.get(name)] as const] : [],
      ),
    ),
  );

/** The device of a data point, and the labels of its metrics. */
type PointSeries = {
  readonly device: string | undefined;
  readonly deviceLabel: string | undefined;
  readonly labels: readonly (readonly [string, string])[];
};

/** @throws InvalidSeries */
const readPointSeries = (
  { name, scope }: OtlpMetric,
  ofResource: Labels,
  own: Labels,
  deviceAttributes: readonly string[],
): PointSeries => {
  if (name === '') throw new InvalidSeries('has no name');
  const deviceLabel = deviceAttributes.find((each) => own.has(each) || ofResource.has(each));
  const valueOf = (label: string) => own.get(label) ?? ofResource.get(label);
  const service = SERVICE.flatMap((label) => {
    const value = ofResource.get(label);
    return value === undefined || own.has(label) || value.startsWith(UNKNOWN_SERVICE)
      ? []
      : [[label, value] as const];
  });
  const labels = [...service, ...own]
    .filter(([label]) => label !== deviceLabel)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const characters = labels.reduce(
    (sum, [label, value]) => sum + label.length + value.length,
    name.length + scope.length,
  );
  if (characters > MAX_CHARACTERS)
    throw new InvalidSeries(`has names and attributes of more than ${MAX_CHARACTERS} characters`);
  return { device: deviceLabel === undefined ? undefined : valueOf(deviceLabel), deviceLabel, labels };
};

const seriesOf = (
  { name, scope }: OtlpMetric,
  { device, deviceLabel, labels }: PointSeries,
  { suffix, label }: OtlpValue,
): LabelledSeries => {
  const all = label === undefined ? labels : [...labels, label];
  const { metric, identity } = distinctMetricOf(`${name}${suffix}`, all, otlpSpelling);
  // Two scopes of a program may have metrics of the same name.
  return { device, deviceLabel, metric, identity: `${name}\n${scope}\n${identity}` };
};

/** Adds the values of a data point. @throws InvalidSeries before it adds any */
const addPoint = (
  writer: LabelledSeriesWriter,
  parser: SampleParser,
  index: number,
  {
    metric,
    ofResource,
    deviceAttributes,
  }: { metric: OtlpMetric; ofResource: Labels; deviceAttributes: readonly string[] },
  given: unknown,
): void => {
  const point = readPoint(given);
  if ((Number(point['flags'] ?? 0) & NO_RECORDED_VALUE) !== 0) {
    parser.columns.noValues += 1;
    return;
  }
  const own = textsOf(readAttributes(point['attributes']));
  const series = readPointSeries(metric, ofResource, own, deviceAttributes);
  const values = valuesOf(metric.type, point);
  const at = point['timeUnixNano'];
  // Protocol buffers have no other value for none.
  const hasTime = at !== undefined && at !== null && Number(at) !== 0;
  const ms = hasTime ? parser.readTs(index, at, values.length) : Number.NaN;
  if (ms === undefined) return;
  for (const value of values)
    if (writer.begin(parser, index, seriesOf(metric, series, value), 1))
      writer.addAt(parser, ms, value.value);
};

/**
 * Adds the metrics of an `ExportMetricsServiceRequest` to the current reader, in steps that may end a slice. `deviceAttributes`: the
 * attributes that may name the device, the preferred one first.
 * @throws UnreadableBody before it adds anything
 */
export const addOtlpMetrics = function* (
  body: unknown,
  reader: () => SampleParser,
  deviceAttributes: readonly string[],
): Generator<void> {
  const metrics = readOtlpMetrics(body);
  const writer = new LabelledSeriesWriter({
    names: deviceAttributes,
    variable: 'OTLP_DEVICE_ATTRIBUTES',
    noun: 'attribute',
  });
  for (const [index, metric] of metrics.entries()) {
    const place = { metric, ofResource: resourceLabels(metric, deviceAttributes), deviceAttributes };
    for (const point of metric.points) {
      try {
        addPoint(writer, reader(), index, place, point);
      } catch (error) {
        if (!(error instanceof InvalidSeries)) throw error;
        const { message } = error;
        reader().reject(
          index,
          [],
          'invalid-series',
          () => `${metric.name.slice(0, 128) || 'The metric'} ${message}.`,
        );
      }
      yield;
    }
  }
};
