import { KIND, KINDS } from '../store/sample-columns.ts';
import { BadLine, LineScanner } from './line-scanner.ts';
import { fieldMetric, readLineSeries, type LineSeries } from './line-series.ts';
import { INVALID, type SampleParser } from './read-samples.ts';

const MAX_KNOWN_SERIES = 50_000;

type Field = {
  /** As in the line, with its `=`. */
  readonly start: string;
  readonly metric: string;
  /** Another series of the body has this metric already: why the values are rejected. */
  readonly duplicate: string | undefined;
  /** The number of its series in the current reader, by kind. */
  readonly series: Int32Array;
};

/** The series of the lines that begin alike. */
type Known = {
  readonly series: LineSeries;
  readonly fields: Map<string, Field>;
  /** The fields of the last line: the next one mostly has the same. */
  readonly order: Field[];
  /** The reader in which the numbers of this series hold. */
  reader: SampleParser | undefined;
  /** The number of the device, or INVALID. */
  device: number;
};

/**
 * Reads InfluxDB line protocol line by line. `deviceTags`: the tags that may name the device, the preferred one first.
 * Source: https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/
 */
export class LineProtocolReader {
  readonly #scanner: LineScanner;
  readonly #deviceTags: readonly string[];
  readonly #known = new Map<string, Known>();
  /** The series that first had each metric of a device. */
  readonly #owners = new Map<string, string>();
  /** Values of this line that have no series, because the line names no valid device. */
  #unplaced = 0;

  constructor(text: string, deviceTags: readonly string[]) {
    this.#scanner = new LineScanner(text);
    this.#deviceTags = deviceTags;
  }

  /** Reads the next line into a reader. Returns false at the end. An invalid line adds none of its values. */
  readLine(reader: SampleParser): boolean {
    if (!this.#scanner.skipToLine()) return false;
    const [line, before] = [this.#scanner.line, reader.length];
    this.#unplaced = 0;
    try {
      this.#readPoint(reader, line);
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      const { message } = error;
      const values = reader.length - before + this.#unplaced + 1;
      reader.removeFrom(before);
      reader.reject(line, [], 'invalid-line', () => `The line ${message}.`, values);
      this.#scanner.skipLine();
    }
    return true;
  }

  #readPoint(reader: SampleParser, line: number): void {
    const before = reader.length;
    const known = this.#readSeries(reader);
    let fields = 0;
    do {
      const field = this.#readField(known, fields);
      this.#scanner.readValue();
      if (known.device === INVALID) this.#unplaced += 1;
      else this.#addValue(reader, line, known.device, field);
      fields += 1;
    } while (this.#scanner.takeComma());
    const ts = this.#scanner.readTime();
    if (known.device === INVALID) this.#rejectDevice(reader, line, known.series.device);
    else if (ts !== undefined && reader.length > before) {
      const ms = reader.readTs(line, ts, reader.length - before);
      if (ms === undefined) reader.removeFrom(before);
      else reader.setTs(before, ms);
    }
  }

  #readSeries(reader: SampleParser): Known {
    const start = this.#scanner.takeSeries();
    let known = this.#known.get(start);
    if (known === undefined) {
      if (this.#known.size === MAX_KNOWN_SERIES) this.#known.clear();
      const series = readLineSeries(start, this.#deviceTags);
      known = { series, fields: new Map(), order: [], reader: undefined, device: INVALID };
      this.#known.set(start, known);
    }
    if (known.reader !== reader) {
      const { device } = known.series;
      known.reader = reader;
      known.device = device === undefined ? INVALID : reader.deviceNumber(device);
      for (const { series } of known.fields.values()) series.fill(INVALID);
    }
    return known;
  }

  #readField(known: Known, position: number): Field {
    const expected = known.order[position];
    if (expected !== undefined && this.#scanner.takeExpected(expected.start)) return expected;
    const start = this.#scanner.takeField();
    const field = known.fields.get(start) ?? this.#addField(known, start);
    known.order.length = position;
    known.order.push(field);
    return field;
  }

  #addField(known: Known, start: string): Field {
    const { metric, identity } = fieldMetric(known.series, start.slice(0, -1));
    const name = `${known.series.device}\n${metric}`;
    const owner = this.#owners.get(name) ?? identity;
    this.#owners.set(name, owner);
    const field: Field = {
      start,
      metric,
      duplicate:
        owner === identity
          ? undefined
          : `Another series of this body has the metric name ${metric} too. Rename a tag or a field.`,
      series: new Int32Array(KINDS.length).fill(INVALID),
    };
    known.fields.set(start, field);
    return field;
  }

  /** Adds the value that was read, or rejects it. Its time is not known yet. */
  #addValue(reader: SampleParser, line: number, device: number, field: Field): void {
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
    reader.addCell(line, number, cell);
  }

  #rejectDevice(reader: SampleParser, line: number, device: string | undefined): void {
    if (device !== undefined) return reader.rejectDevice(line, this.#unplaced);
    const detail = `The line has no tag ${this.#deviceTags.join(' or ')}, which would name the device. Add one, or set LINE_PROTOCOL_DEVICE_TAGS.`;
    reader.reject(line, [], 'device-missing', detail, this.#unplaced);
  }
}
