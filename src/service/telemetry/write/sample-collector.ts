import type { Value } from '#contract/telemetry.ts';
import { growArray } from '../store/grow-array.ts';
import { KIND, seriesAt, type SampleColumns } from '../store/sample-columns.ts';
import { SeriesBuilder } from '../store/series-builder.ts';
import type { Rejection, SampleReading } from './sample-reading.ts';

const kindOf = (value: Value): number => {
  if (typeof value === 'number') return KIND.number;
  return typeof value === 'boolean' ? KIND.boolean : KIND.string;
};

const FIRST_CAPACITY = 256;

/** Collects samples into a SampleReading, with each series once. Its columns may be longer than `length`. */
export class SampleCollector implements SampleColumns {
  readonly series = new SeriesBuilder();
  index = new Uint32Array(FIRST_CAPACITY);
  groupOf = new Uint32Array(FIRST_CAPACITY);
  ts = new Float64Array(FIRST_CAPACITY);
  cells = new Float64Array(FIRST_CAPACITY);
  readonly texts: string[] = [];
  noValues = 0;
  readonly rejections: { -readonly [K in keyof Rejection]: Rejection[K] }[] = [];
  #positionOf: Uint32Array | undefined;
  readonly #maxRejections: number;
  #length = 0;
  #rejected = 0;

  constructor(maxRejections = Infinity) {
    this.#maxRejections = maxRejections;
  }

  /** Number of valid samples. */
  get length(): number {
    return this.#length;
  }

  /** Number of samples read, valid or not. */
  get received(): number {
    return this.#length + this.#rejected;
  }

  /** Above `maxRejections`, the last rejection counts the samples of the others, which are not described. */
  reject(samples: number, describe: () => Omit<Rejection, 'samples'>): void {
    this.#rejected += samples;
    const last = this.rejections.at(-1);
    if (last !== undefined && this.rejections.length >= this.#maxRejections) last.samples += samples;
    else this.rejections.push({ ...describe(), samples });
  }

  /** Adds a sample of a group to a metric of a device, both by their numbers in `series`. */
  add(group: number, device: number, metric: number, ts: number, value: Value, position?: number): void {
    const series = this.series.seriesNumber(device, metric, kindOf(value));
    const cell = typeof value === 'string' ? this.addText(value) : Number(value);
    this.addCell(group, series, ts, cell, position);
  }

  /** Adds the cell of a value to a series of its kind, by the number of the series. */
  addCell(group: number, series: number, ts: number, cell: number, position = 0): void {
    const i = this.#length;
    if (i === this.index.length) this.#grow();
    this.index[i] = series;
    this.groupOf[i] = group;
    this.ts[i] = ts;
    this.cells[i] = cell;
    if (this.#positionOf !== undefined) this.#positionOf[i] = position;
    this.#length = i + 1;
  }

  /** From now on, samples have a position in their series. */
  beginPositions(): void {
    this.#positionOf ??= new Uint32Array(this.index.length);
  }

  addText(text: string): number {
    return this.texts.push(text) - 1;
  }

  /**
   * Adds samples `from` to `to` of a reading. `shift` is added to the numbers of their groups. `isPermitted`: whether to
   * add the samples of a device.
   */
  addFrom(
    reading: SampleReading,
    { from = 0, to = reading.index.length, shift = 0, isPermitted = (_device: string) => true },
  ): void {
    const { series, index } = reading;
    const numbers = new Map<number, number | undefined>();
    const numberLike = (s: number): number | undefined => {
      const { device, metric } = seriesAt(series, s);
      if (!isPermitted(device)) return undefined;
      const [d, m] = [this.series.deviceNumber(device), this.series.metricNumber(metric)];
      return this.series.seriesNumber(d, m, series.kind[s]!);
    };
    for (let i = from; i < to; i += 1) {
      const s = index[i]!;
      if (!numbers.has(s)) numbers.set(s, numberLike(s));
      const number = numbers.get(s);
      if (number === undefined) continue;
      const isText = series.kind[s] === KIND.string;
      const cell = isText ? this.addText(reading.texts[reading.cells[i]!]!) : reading.cells[i]!;
      this.addCell(reading.groupOf[i]! + shift, number, reading.ts[i]!, cell);
    }
  }

  /** Removes all samples from position `from` on. */
  removeFrom(from: number): void {
    this.#length = from;
  }

  /** Removes the samples from position `from` on that `isKept` returns false for. */
  keepFrom(from: number, isKept: (i: number) => boolean): void {
    let kept = from;
    for (let i = from; i < this.#length; i += 1) {
      if (!isKept(i)) continue;
      for (const column of [this.index, this.groupOf, this.ts, this.cells]) column[kept] = column[i]!;
      kept += 1;
    }
    this.#length = kept;
  }

  reading(): SampleReading {
    const length = this.#length;
    return {
      series: this.series.columns(),
      index: this.index.slice(0, length),
      groupOf: this.groupOf.slice(0, length),
      positionOf: this.#positionOf?.slice(0, length),
      ts: this.ts.slice(0, length),
      cells: this.cells.slice(0, length),
      texts: this.texts,
      rejections: this.rejections,
      noValues: this.noValues,
    };
  }

  #grow(): void {
    this.index = growArray(this.index);
    this.groupOf = growArray(this.groupOf);
    this.ts = growArray(this.ts);
    this.cells = growArray(this.cells);
    if (this.#positionOf !== undefined) this.#positionOf = growArray(this.#positionOf);
  }
}
