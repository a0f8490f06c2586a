import { isExternalId } from '#contract/external-id.ts';
import { pointerOf } from '#contract/json-pointer.ts';
import { isMetricName, LIMITS } from '#contract/sample-rules.ts';
import type { Value } from '#contract/telemetry.ts';
import { isStorable } from '#contract/is-storable.ts';
import { describeReceived } from './describe-received.ts';
import { SampleCollector } from './sample-collector.ts';
import type { RejectionCode, SampleReading } from './sample-reading.ts';
import {
  defaultTimeRule,
  describeImplausible,
  describeInvalidTime,
  isImplausible,
  readSampleTime,
  type TimeRule,
} from './sample-time.ts';

const DETAILS = {
  sample: 'Must be an object with device, values and optionally ts.',
  device: 'Must be the ID or external ID of a device (1 to 128 letters, digits and . _ : -).',
  values: 'Must be an object of metric names and values.',
  metric: 'Metric names have 1 to 128 characters: letters, digits and . _ - / : only.',
  value: `Must be a finite number, true, false, or text of at most ${LIMITS.textBytes} bytes, without NUL or unpaired surrogates.`,
  tooManyMetrics: `Must have at most ${LIMITS.metricsPerTimestamp} metrics. Send the others in another object.`,
  field: 'Unknown field. The fields are device, ts and values.',
};
const FIELDS: ReadonlySet<string> = new Set(['device', 'ts', 'values']);
/** The largest number of UTF-8 bytes per UTF-16 unit. */
const UTF8_BYTES_PER_UNIT = 3;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True for a text that a metric can have as its value. */
export const isTextValue = (text: string): boolean =>
  isStorable(text) &&
  (text.length * UTF8_BYTES_PER_UNIT <= LIMITS.textBytes || Buffer.byteLength(text) <= LIMITS.textBytes);

/** The value if it is valid, otherwise undefined. */
const readValue = (value: unknown): Value | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' && isTextValue(value) ? value : undefined;
};

/** A series of a write whose form is valid: two lists of the same length. */
export type WrittenSeries = {
  readonly device: unknown;
  readonly metric: string;
  readonly ts: readonly unknown[];
  readonly values: readonly unknown[];
};

/** The number of a name that is not valid. */
export const INVALID = -1;

/** The name of a metric. `number`: INVALID if it is not valid. */
export type MetricName = {
  readonly name: string;
  readonly number: number;
  /** For the caller: the last group with a sample of this metric. */
  lastGroup: number;
};

/** Reads samples one after another into columns, and records why samples are rejected. */
export class SampleParser {
  readonly columns: SampleCollector;
  /** The last valid device name and its number: consecutive samples often have the same device. */
  #device: { readonly name: string; readonly number: number } | undefined;
  readonly #metrics = new Map<string, MetricName>();
  readonly #times: TimeRule;

  /** Above `maxRejections`, the last rejection counts the samples of the others. */
  constructor(times: TimeRule = defaultTimeRule, maxRejections?: number) {
    this.#times = times;
    this.columns = new SampleCollector(maxRejections);
  }

  /** What was read so far. */
  reading(): SampleReading {
    return this.columns.reading();
  }

  /** Reads a group according to `deviceSamplesSchema`. One without values counts as one sample. */
  add(index: number, group: unknown): void {
    if (!isRecord(group)) return this.reject(index, [], 'invalid-sample', DETAILS.sample);
    const { device, ts, values } = group;
    if (!isRecord(values)) return this.reject(index, ['values'], 'invalid-sample', DETAILS.values);
    const metrics = Object.keys(values);
    for (const field in group)
      if (!FIELDS.has(field))
        return this.reject(index, [field], 'unknown-field', DETAILS.field, metrics.length);
    this.addValues(index, { device, ts }, values, metrics);
  }

  /** Reads the values of these metrics of a group. */
  addValues(
    index: number,
    { device, ts }: { device: unknown; ts: unknown },
    values: Readonly<Record<string, unknown>>,
    metrics: readonly string[],
  ): void {
    const tsMs = this.#beginGroup(index, device, ts, metrics.length);
    if (tsMs === undefined) return;
    const { number } = this.#device!;
    for (const metric of metrics) this.addValue(index, number, tsMs, metric, values[metric]);
  }

  /** Reads a group: the first `count` of `metrics` with the `values` at the same positions. */
  addGroup(
    index: number,
    { device, ts, count }: { device: unknown; ts: unknown; count: number },
    metrics: readonly MetricName[],
    values: readonly unknown[],
  ): void {
    const tsMs = this.#beginGroup(index, device, ts, count);
    if (tsMs === undefined) return;
    const { number } = this.#device!;
    for (let i = 0; i < count; i += 1) this.#addValue(index, number, tsMs, metrics[i]!, values[i]);
  }

  /** Returns the timestamp of a group whose values can be read. Otherwise rejects them and returns undefined. */
  #beginGroup(index: number, device: unknown, ts: unknown, count: number): number | undefined {
    if (this.deviceNumber(device) === INVALID) {
      this.rejectDevice(index, device, count);
      return undefined;
    }
    const tsMs = this.readTs(index, ts, count);
    if (tsMs === undefined || count <= LIMITS.metricsPerTimestamp) return tsMs;
    this.reject(index, ['values'], 'too-many-metrics', DETAILS.tooManyMetrics, count);
    return undefined;
  }

  /** Reads one value with its device and timestamp: a row of CSV. */
  addRow(index: number, device: string, ts: string, metric: string, value: Value): void {
    const number = this.deviceNumber(device);
    if (number === INVALID) return this.rejectDevice(index, device, 1);
    const tsMs = this.readTs(index, ts === '' ? undefined : ts, 1);
    if (tsMs === undefined) return;
    this.addValue(index, number, tsMs, metric, value);
  }

  /** Rejects the samples of a group. A group without samples counts as one. */
  reject(
    index: number,
    path: string[],
    code: RejectionCode,
    detail: string | (() => string),
    samples = 1,
  ): void {
    this.#rejectAt(['samples', index, ...path], index, { code, detail, samples });
  }

  /** Rejects samples of a series. A series without samples counts as one. */
  rejectSeries(
    index: number,
    path: readonly PropertyKey[],
    code: RejectionCode,
    detail: string | (() => string),
    samples = 1,
  ): void {
    this.#rejectAt(['series', index, ...path], index, { code, detail, samples });
  }

  /** Reads the values of a series from position `from` to `to`. */
  addColumns(index: number, { device, metric, ts, values }: WrittenSeries, from: number, to: number): void {
    const deviceNumber = this.deviceNumber(device);
    if (deviceNumber === INVALID)
      return this.rejectSeries(
        index,
        ['device'],
        'invalid-device',
        () => describeReceived(DETAILS.device, device),
        to - from,
      );
    const { number: metricNumber } = this.metricName(metric);
    if (metricNumber === INVALID)
      return this.rejectSeries(index, ['metric'], 'invalid-metric', DETAILS.metric, to - from);
    this.columns.beginPositions();
    for (let i = from; i < to; i += 1) {
      const tsMs = readSampleTime(ts[i], this.#times);
      const value = readValue(values[i]);
      if (tsMs === undefined)
        this.rejectSeries(index, ['ts', i], 'invalid-ts', () => describeInvalidTime(ts[i], this.#times));
      else if (isImplausible(tsMs, this.#times))
        this.rejectSeries(index, ['ts', i], 'ts-implausible', () =>
          describeImplausible(ts[i], tsMs, this.#times),
        );
      else if (value === undefined)
        this.rejectSeries(index, ['values', i], 'invalid-value', () =>
          describeReceived(DETAILS.value, values[i]),
        );
      else this.columns.add(index, deviceNumber, metricNumber, tsMs, value, i);
    }
  }

  #rejectAt(
    path: readonly PropertyKey[],
    index: number,
    { code, detail, samples }: { code: RejectionCode; detail: string | (() => string); samples: number },
  ): void {
    this.columns.reject(Math.max(1, samples), () => ({
      index,
      pointer: pointerOf(path),
      code,
      detail: typeof detail === 'string' ? detail : detail(),
    }));
  }

  /** Returns epoch ms, or NaN without a timestamp. Rejects the samples and returns undefined if it is invalid. */
  readTs(index: number, ts: unknown, samples: number): number | undefined {
    if (ts === undefined) return Number.NaN;
    const ms = readSampleTime(ts, this.#times);
    if (ms === undefined)
      this.reject(index, ['ts'], 'invalid-ts', () => describeInvalidTime(ts, this.#times), samples);
    else if (isImplausible(ms, this.#times))
      this.reject(index, ['ts'], 'ts-implausible', () => describeImplausible(ts, ms, this.#times), samples);
    else return ms;
    return undefined;
  }

  /** Adds a value of any kind to a metric of a device, or rejects it. */
  addValue(index: number, device: number, tsMs: number, metric: string, given: unknown): void {
    this.#addValue(index, device, tsMs, this.metricName(metric), given);
  }

  #addValue(index: number, device: number, tsMs: number, { name, number }: MetricName, given: unknown): void {
    if (number === INVALID) return this.reject(index, ['values', name], 'invalid-metric', DETAILS.metric);
    const value = readValue(given);
    if (value === undefined)
      return this.reject(index, ['values', name], 'invalid-value', () =>
        describeReceived(DETAILS.value, given),
      );
    this.columns.add(index, device, number, tsMs, value);
  }

  rejectDevice(index: number, device: unknown, samples: number): void {
    this.reject(index, ['device'], 'invalid-device', () => describeReceived(DETAILS.device, device), samples);
  }

  /** The number of a series, or INVALID if the name of its metric is not valid. */
  seriesNumber(device: number, metric: string, kind: number): number {
    const { number } = this.metricName(metric);
    return number === INVALID ? INVALID : this.columns.series.seriesNumber(device, number, kind);
  }

  metricName(name: string): MetricName {
    const known = this.#metrics.get(name);
    if (known !== undefined) return known;
    const isValid = isMetricName(name);
    const number = isValid ? this.columns.series.metricNumber(name) : INVALID;
    const metric = { name, number, lastGroup: INVALID };
    this.#metrics.set(name, metric);
    return metric;
  }

  /** The number of a device by its name, or INVALID. */
  deviceNumber(name: unknown): number {
    if (typeof name !== 'string') return INVALID;
    if (name !== this.#device?.name) {
      if (!isExternalId(name)) return INVALID;
      this.#device = { name, number: this.columns.series.deviceNumber(name) };
    }
    return this.#device.number;
  }
}

/**
 * Reads samples (of a JSON body or a message) into columns. Does not throw for invalid samples: `rejections` lists them
 * with their reasons.
 */
export const readSamples = (groups: readonly unknown[], times?: TimeRule): SampleReading => {
  const reader = new SampleParser(times);
  for (const [index, group] of groups.entries()) reader.add(index, group);
  return reader.reading();
};
