import { KIND } from '../store/sample-columns.ts';
import { InvalidLine, LineScanner } from './line-scanner.ts';
import { LineSeriesCache, type Field, type KnownLineSeries } from './line-series-cache.ts';
import { MetricOwners } from './metric-owners.ts';
import { INVALID, type SampleParser } from './read-samples.ts';

/** A slice ends between two lines. */
const MAX_FIELDS = 5_000;

/** The numbers of devices and series are valid in one generation, the lifetime of a reader. */
let lastGeneration = 0;

/**
 * Reads InfluxDB line protocol line by line. `deviceTags`: the tags that may name the device, the preferred one first.
 * `lossyBytes`: the bytes of a body that is not UTF-8. The lines that are UTF-8 are read.
 * Source: https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/
 */
export class LineProtocolReader {
  readonly #scanner: LineScanner;
  readonly #deviceTags: readonly string[];
  readonly #cache: LineSeriesCache;
  readonly #owners = new MetricOwners();
  #reader: SampleParser | undefined;
  #generation = 0;
  /** Samples of this line that are neither added nor rejected yet. */
  #unplaced = 0;

  constructor(
    text: string,
    { deviceTags, lossyBytes }: { deviceTags: readonly string[]; lossyBytes?: Uint8Array | undefined },
  ) {
    this.#scanner = new LineScanner(text, lossyBytes);
    this.#deviceTags = deviceTags;
    this.#cache = LineSeriesCache.of(deviceTags);
  }

  /** Reads the next line into a reader. Returns false at the end. An invalid line adds none of its samples. */
  readLine(reader: SampleParser): boolean {
    if (!this.#scanner.skipToLine()) return false;
    const [line, before] = [this.#scanner.line, reader.columns.length];
    if (reader !== this.#reader) this.#beginGeneration(reader);
    // A line without fields counts as one sample.
    this.#unplaced = 1;
    try {
      this.#readPoint(reader, line);
    } catch (error) {
      if (!(error instanceof InvalidLine)) throw error;
      const { message } = error;
      const samples = reader.columns.length - before + this.#unplaced;
      reader.columns.removeFrom(before);
      if (samples > 0) reader.reject(line, [], 'invalid-line', () => `The line ${message}.`, samples);
      this.#scanner.skipLine();
    }
    return true;
  }

  #readPoint(reader: SampleParser, line: number): void {
    const before = reader.columns.length;
    const known = this.#readSeries(reader);
    this.#unplaced = 0;
    let fields = 0;
    do {
      this.#unplaced += 1;
      const field = this.#readField(known, fields);
      this.#scanner.readValue();
      if (known.device !== INVALID) this.#addValue(reader, line, known.device, field);
      fields += 1;
      if (fields > MAX_FIELDS) throw new InvalidLine(`has more than ${MAX_FIELDS} fields. Split it`);
    } while (this.#scanner.takeComma());
    const ts = this.#scanner.readTime();
    this.#scanner.requireUtf8();
    if (known.device === INVALID) this.#rejectDevice(reader, line, known.series.device);
    else if (ts !== undefined && reader.columns.length > before) {
      const ms = reader.readTs(line, ts, reader.columns.length - before);
      if (ms === undefined) reader.columns.removeFrom(before);
      else reader.columns.ts.fill(ms, before, reader.columns.length);
    }
  }

  #beginGeneration(reader: SampleParser): void {
    this.#reader = reader;
    lastGeneration += 1;
    this.#generation = lastGeneration;
  }

  #readSeries(reader: SampleParser): KnownLineSeries {
    const start = this.#scanner.takeSeries();
    const known = this.#cache.find(start);
    if (known.generation !== this.#generation) {
      const { device } = known.series;
      known.generation = this.#generation;
      known.device = device === undefined ? INVALID : reader.deviceNumber(device);
    }
    return known;
  }

  #readField(known: KnownLineSeries, position: number): Field {
    const expected = known.order[position];
    if (expected !== undefined && this.#scanner.takeExpected(expected.start)) return expected;
    const start = this.#scanner.takeField();
    const field = this.#cache.findField(known, start);
    known.order.length = Math.min(known.order.length, position);
    // A line that repeats its fields would make the list long.
    if (known.order.length === position && position < known.fields.size) known.order.push(field);
    return field;
  }

  #beginField(field: Field): void {
    field.duplicate = this.#owners.claim(field.hashes)
      ? undefined
      : `Another series in this body also maps to the metric ${field.metric}. Rename a tag or a field.`;
    field.series.fill(INVALID);
    field.generation = this.#generation;
  }

  /** Adds the value that was read, or rejects it. Its time is not known yet. */
  #addValue(reader: SampleParser, line: number, device: number, field: Field): void {
    this.#unplaced -= 1;
    if (field.generation !== this.#generation) this.#beginField(field);
    const { kind, cell, value } = this.#scanner;
    const { metric, duplicate, series } = field;
    if (duplicate !== undefined)
      return reader.reject(line, ['values', metric], 'duplicate-metric', duplicate);
    if (kind === KIND.string) return reader.addValue(line, device, Number.NaN, metric, value);
    let number = series[kind]!;
    if (number === INVALID) {
      number = reader.seriesNumber(device, metric, kind);
      series[kind] = number;
    }
    if (number === INVALID || !Number.isFinite(cell))
      return reader.addValue(line, device, Number.NaN, metric, cell);
    reader.columns.addCell(line, number, Number.NaN, cell);
  }

  #rejectDevice(reader: SampleParser, line: number, device: string | undefined): void {
    if (device !== undefined) return reader.rejectDevice(line, device, this.#unplaced);
    const detail = `The line has none of the tags ${this.#deviceTags.join(', ')}, which name the device. Add one, or set LINE_PROTOCOL_DEVICE_TAGS.`;
    reader.reject(line, [], 'device-missing', detail, this.#unplaced);
  }
}
