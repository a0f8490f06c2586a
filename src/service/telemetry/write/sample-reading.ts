import { metricNameSchema, type MetricKind, type Value } from '#contract/telemetry.ts';

/** Why a value was rejected. */
export type RejectionCode =
  | 'invalid-sample'
  | 'unknown-field'
  | 'invalid-device'
  | 'invalid-ts'
  | 'ts-implausible'
  | 'invalid-metric'
  | 'invalid-value'
  | 'too-many-metrics'
  | 'ts-too-far-ahead'
  | 'ts-too-old'
  | 'kind-mismatch'
  | 'unknown-device'
  | 'device-deleted';

/** A reason that rejected `values` values of sample `index`, at an RFC 6901 pointer into `{ samples }`. */
export type Rejection = {
  readonly index: number;
  readonly pointer: string;
  /** A RejectionCode, or the code of the device resolver. */
  readonly code: RejectionCode | (string & {});
  readonly detail: string;
  readonly values: number;
};

/** A series as named by the sender. `device`: an ID or external ID. */
type NamedSeries = { readonly device: string; readonly metric: string; readonly kind: MetricKind };

/**
 * A body as columns: value `i` belongs to `series[seriesOf[i]]` and came from sample `sampleOf[i]`. `ts[i]` is in epoch
 * ms; NaN: no timestamp.
 */
export type SampleReading = {
  readonly series: NamedSeries[];
  readonly seriesOf: number[];
  readonly sampleOf: number[];
  readonly ts: number[];
  readonly value: Value[];
  readonly rejections: readonly Rejection[];
};

/** The kind of a value. */
const kindOf = (value: Value): MetricKind => {
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'string';
};

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Indices = Record<MetricKind, Map<string, number>>;

/** Collects values into a SampleReading, with each series once. */
export class SampleCollector {
  readonly reading: Omit<SampleReading, 'rejections'> & { readonly rejections: Writable<Rejection>[] } = {
    series: [],
    seriesOf: [],
    sampleOf: [],
    ts: [],
    value: [],
    rejections: [],
  };
  readonly #indices = new Map<string, Indices>();
  readonly #metrics = new Map<string, boolean>();
  readonly #maxRejections: number;
  #received = 0;

  constructor(maxRejections = Infinity) {
    this.#maxRejections = maxRejections;
  }

  /** Number of values read, valid or not. */
  get received(): number {
    return this.#received;
  }

  /** Above `maxRejections`, the last rejection counts the values of the others, which are not described. */
  reject(values: number, describe: () => Omit<Rejection, 'values'>): void {
    this.#received += values;
    const { rejections } = this.reading;
    const last = rejections.at(-1);
    if (last !== undefined && rejections.length >= this.#maxRejections) last.values += values;
    else rejections.push({ ...describe(), values });
  }

  /** Adds a valid value. */
  add(index: number, device: string, metric: string, ts: number, value: Value): void {
    this.#received += 1;
    const { reading } = this;
    reading.seriesOf.push(this.#seriesIndex(device, metric, kindOf(value)));
    reading.sampleOf.push(index);
    reading.ts.push(ts);
    reading.value.push(value);
  }

  /** Whether this is a valid metric name. Tests each name once. */
  isMetricName(name: string): boolean {
    const known = this.#metrics.get(name);
    if (known !== undefined) return known;
    const good = metricNameSchema.safeParse(name).success;
    this.#metrics.set(name, good);
    return good;
  }

  #seriesIndex(device: string, metric: string, kind: MetricKind): number {
    let indices = this.#indices.get(device);
    if (indices === undefined) {
      indices = { number: new Map(), boolean: new Map(), string: new Map() };
      this.#indices.set(device, indices);
    }
    const known = indices[kind].get(metric);
    if (known !== undefined) return known;
    const { series } = this.reading;
    indices[kind].set(metric, series.length);
    series.push({ device, metric, kind });
    return series.length - 1;
  }
}
