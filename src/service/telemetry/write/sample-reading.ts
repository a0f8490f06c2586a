import { pointerOf } from '#contract/problem.ts';
import type { Value } from '#contract/telemetry.ts';
import { growArray } from '../store/grow-array.ts';
import { KIND, seriesAt, type SampleColumns } from '../store/sample-columns.ts';
import { SeriesBuilder } from '../store/series-builder.ts';

/** Why a value was rejected. */
export type RejectionCode =
  | 'invalid-sample'
  | 'invalid-series'
  | 'unknown-field'
  | 'invalid-device'
  | 'invalid-ts'
  | 'ts-implausible'
  | 'invalid-metric'
  | 'invalid-value'
  | 'too-many-metrics'
  | 'invalid-line'
  | 'device-missing'
  | 'duplicate-metric'
  | 'ts-too-far-ahead'
  | 'ts-too-old'
  | 'kind-mismatch'
  | 'metric-limit'
  | 'unknown-device'
  | 'device-deleted';

/** A reason that rejected `values` values of sample or series `index`, at an RFC 6901 pointer into the body. */
export type Rejection = {
  readonly index: number;
  readonly pointer: string;
  /** A RejectionCode, or the code of the device resolver. */
  readonly code: RejectionCode | (string & {});
  readonly detail: string;
  readonly values: number;
};

/** Where in a body its values come from. */
type Origins = {
  /** By value, the index of its sample or series in the body. */
  readonly sampleOf: Uint32Array;
  /** By value, its position in its series. Undefined for samples. */
  readonly positionOf: Uint32Array | undefined;
};

/**
 * A body as columns. Devices are named as the sender names them, by ID or external ID. Value `i` came from sample
 * `sampleOf[i]`. A `ts` of NaN: no timestamp.
 */
export type SampleReading = SampleColumns & Origins & { readonly rejections: readonly Rejection[] };

/** The pointer to a value of a reading, or to its device or timestamp. */
export const pointerToValue = (
  { series, index, sampleOf, positionOf }: SampleReading,
  i: number,
  part: 'device' | 'ts' | 'values',
): string => {
  const from = sampleOf[i]!;
  if (positionOf !== undefined)
    return pointerOf(['series', from, part, ...(part === 'device' ? [] : [positionOf[i]!])]);
  const metric = part === 'values' ? [seriesAt(series, index[i]!).metric] : [];
  return pointerOf(['samples', from, part, ...metric]);
};

const kindOf = (value: Value): number => {
  if (typeof value === 'number') return KIND.number;
  return typeof value === 'boolean' ? KIND.boolean : KIND.string;
};

const FIRST_CAPACITY = 256;

/** Collects values into a SampleReading, with each series once. */
export class SampleCollector {
  readonly series = new SeriesBuilder();
  #index = new Uint32Array(FIRST_CAPACITY);
  #sampleOf = new Uint32Array(FIRST_CAPACITY);
  #ts = new Float64Array(FIRST_CAPACITY);
  #cells = new Float64Array(FIRST_CAPACITY);
  #positionOf: Uint32Array | undefined;
  readonly #texts: string[] = [];
  readonly #rejections: { -readonly [K in keyof Rejection]: Rejection[K] }[] = [];
  readonly #maxRejections: number;
  #length = 0;
  #rejected = 0;

  constructor(maxRejections = Infinity) {
    this.#maxRejections = maxRejections;
  }

  get rejections(): readonly Rejection[] {
    return this.#rejections;
  }

  /** Number of valid values. */
  get length(): number {
    return this.#length;
  }

  /** Number of values read, valid or not. */
  get received(): number {
    return this.#length + this.#rejected;
  }

  /** Above `maxRejections`, the last rejection counts the values of the others, which are not described. */
  reject(values: number, describe: () => Omit<Rejection, 'values'>): void {
    this.#rejected += values;
    const last = this.#rejections.at(-1);
    if (last !== undefined && this.#rejections.length >= this.#maxRejections) last.values += values;
    else this.#rejections.push({ ...describe(), values });
  }

  /** Adds a value of a sample to a metric of a device, both by their numbers in `series`. */
  add(sample: number, device: number, metric: number, ts: number, value: Value, position?: number): void {
    const series = this.series.seriesNumber(device, metric, kindOf(value));
    const cell = typeof value === 'string' ? this.addText(value) : Number(value);
    this.addCell(sample, series, ts, cell, position);
  }

  /** Adds the cell of a value to a series of its kind, by the number of the series. */
  addCell(sample: number, series: number, ts: number, cell: number, position = 0): void {
    const i = this.#length;
    if (i === this.#index.length) this.#grow();
    this.#index[i] = series;
    this.#sampleOf[i] = sample;
    this.#ts[i] = ts;
    this.#cells[i] = cell;
    if (this.#positionOf !== undefined) this.#positionOf[i] = position;
    this.#length = i + 1;
  }

  /** From now on, values have a position in their series. */
  beginPositions(): void {
    this.#positionOf ??= new Uint32Array(this.#index.length);
  }

  addText(text: string): number {
    return this.#texts.push(text) - 1;
  }

  /** Sets the timestamp of all values from position `from` on. */
  setTs(from: number, ts: number): void {
    this.#ts.fill(ts, from, this.#length);
  }

  /** Removes all values from position `from` on. */
  removeFrom(from: number): void {
    this.#length = from;
  }

  reading(): SampleReading {
    const length = this.#length;
    return {
      series: this.series.columns(),
      index: this.#index.slice(0, length),
      sampleOf: this.#sampleOf.slice(0, length),
      positionOf: this.#positionOf?.slice(0, length),
      ts: this.#ts.slice(0, length),
      cells: this.#cells.slice(0, length),
      texts: this.#texts,
      rejections: this.#rejections,
    };
  }

  #grow(): void {
    this.#index = growArray(this.#index);
    this.#sampleOf = growArray(this.#sampleOf);
    this.#ts = growArray(this.#ts);
    this.#cells = growArray(this.#cells);
    if (this.#positionOf !== undefined) this.#positionOf = growArray(this.#positionOf);
  }
}
