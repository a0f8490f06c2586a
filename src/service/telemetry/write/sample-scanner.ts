import { isExternalId } from '#contract/external-id.ts';
import { isMetricName, LIMITS } from '#contract/sample-rules.ts';
import { detachText } from '../../platform/detach-text.ts';
import { TELEMETRY_JSON_LIMITS } from '../../platform/http/parse-json.ts';
import { KIND } from '../store/sample-columns.ts';
import { isDigit, JsonCursor, UNUSUAL } from './json-cursor.ts';
import { isTextValue } from './read-samples.ts';
import { SampleCollector } from './sample-collector.ts';
import type { SampleReading } from './sample-reading.ts';
import { isImplausible, readSampleTime, type TimeRule } from './sample-time.ts';

const [QUOTE, COMMA, MINUS, COLON] = [0x22, 0x2c, 0x2d, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [LETTER_F, LETTER_T] = [0x66, 0x74];

/** The largest number of JSON values in a group, not counting the values of its metrics. */
const ENTRIES_PER_GROUP = 5;

const MAX_KNOWN_DEVICES = 50_000;
/** Valid names of devices: a sender sends the same ones again and again. */
const knownDevices = new Map<string, string>();

type Metric = { readonly quoted: string; readonly number: number; lastGroup: number };

/** Reads samples from JSON text into columns without parsing it into objects. @throws UNUSUAL */
class SampleScanner {
  readonly #cursor: JsonCursor;
  readonly #times: TimeRule;
  readonly #collector = new SampleCollector();
  readonly #metrics = new Map<string, Metric>();
  /** The metrics of the last group: the next one mostly has the same. */
  readonly #order: Metric[] = [];
  #groups = 0;
  #lastTime = { text: '', ms: Number.NaN };

  constructor(text: string, times: TimeRule) {
    this.#cursor = new JsonCursor(text);
    this.#times = times;
  }

  /** `{ "samples": [...] }` */
  readBody(): SampleReading {
    this.#cursor.take(OPEN_OBJECT);
    this.#cursor.takeText('"samples"');
    this.#cursor.take(COLON);
    this.#cursor.take(OPEN_LIST);
    do this.#readGroup();
    while (this.#cursor.takeIf(COMMA));
    this.#cursor.take(CLOSE_LIST);
    this.#cursor.take(CLOSE_OBJECT);
    this.#cursor.skipSpace();
    if (this.#cursor.at < this.#cursor.text.length) throw UNUSUAL;
    return this.#collector.reading();
  }

  /** One group per line. */
  readLines(): SampleReading {
    const text = this.#cursor.text;
    while (this.#cursor.at < text.length) {
      const found = text.indexOf('\n', this.#cursor.at);
      const end = found === -1 ? text.length : found;
      this.#readGroup();
      if (
        this.#cursor.at !== end &&
        (this.#cursor.at > end || text.slice(this.#cursor.at, end).trim() !== '')
      )
        throw UNUSUAL;
      this.#cursor.at = end + 1;
    }
    return this.#collector.reading();
  }

  #readGroup(): void {
    const first = this.#collector.length;
    let device = -1;
    let ms: number | undefined;
    let hasValues = false;
    this.#cursor.take(OPEN_OBJECT);
    do {
      this.#cursor.skipSpace();
      if (device === -1 && this.#cursor.takeTextIf('"device"')) {
        this.#cursor.take(COLON);
        device = this.#readDevice();
      } else if (ms === undefined && this.#cursor.takeTextIf('"ts"')) {
        this.#cursor.take(COLON);
        ms = this.#readTime();
        if (hasValues) this.#collector.ts.fill(ms, first, this.#collector.length);
      } else if (device !== -1 && !hasValues && this.#cursor.takeTextIf('"values"')) {
        this.#cursor.take(COLON);
        this.#readValues(device, ms ?? Number.NaN);
        hasValues = true;
      } else throw UNUSUAL;
    } while (this.#cursor.takeIf(COMMA));
    this.#cursor.take(CLOSE_OBJECT);
    this.#groups += 1;
    const entries = this.#collector.length + this.#groups * ENTRIES_PER_GROUP;
    if (!hasValues || entries > TELEMETRY_JSON_LIMITS.values) throw UNUSUAL;
  }

  #readDevice(): number {
    const { series } = this.#collector;
    const given = this.#cursor.readPlainText();
    let name = knownDevices.get(given);
    if (name === undefined) {
      if (!isExternalId(given)) throw UNUSUAL;
      name = detachText(given);
      if (knownDevices.size >= MAX_KNOWN_DEVICES) knownDevices.clear();
      knownDevices.set(name, name);
    }
    return series.deviceNumber(name);
  }

  #readTime(): number {
    this.#cursor.skipSpace();
    const start = this.#cursor.at;
    const { text, ms } = this.#lastTime;
    if (text !== '' && this.#cursor.text.startsWith(text, start)) {
      const code = this.#cursor.text.charCodeAt(start + text.length);
      if (code === COMMA || code === CLOSE_OBJECT) {
        this.#cursor.at += text.length;
        return ms;
      }
    }
    const given =
      this.#cursor.text.charCodeAt(start) === QUOTE
        ? this.#cursor.readPlainText()
        : this.#cursor.readNumber();
    const read = readSampleTime(given, this.#times);
    if (read === undefined || isImplausible(read, this.#times)) throw UNUSUAL;
    this.#lastTime = { text: this.#cursor.text.slice(start, this.#cursor.at), ms: read };
    return read;
  }

  #readValues(device: number, ms: number): void {
    this.#cursor.take(OPEN_OBJECT);
    let position = 0;
    do {
      const metric = this.#readMetric(position);
      position += 1;
      // The last of several values of a metric counts.
      if (metric.lastGroup === this.#groups || position > LIMITS.metricsPerTimestamp) throw UNUSUAL;
      metric.lastGroup = this.#groups;
      this.#cursor.take(COLON);
      this.#readValue(device, metric.number, ms);
    } while (this.#cursor.takeIf(COMMA));
    this.#cursor.take(CLOSE_OBJECT);
  }

  #readMetric(position: number): Metric {
    this.#cursor.skipSpace();
    const expected = this.#order[position];
    if (expected !== undefined && this.#cursor.takeTextIf(expected.quoted)) return expected;
    const given = this.#cursor.readPlainText();
    const metric = this.#metrics.get(given) ?? this.#addMetric(detachText(given));
    this.#order[position] = metric;
    return metric;
  }

  #addMetric(name: string): Metric {
    // Names that begin with a digit may change their order when they are parsed.
    if (isDigit(name.charCodeAt(0)) || !isMetricName(name)) throw UNUSUAL;
    const number = this.#collector.series.metricNumber(name);
    const metric = { quoted: `"${name}"`, number, lastGroup: -1 };
    this.#metrics.set(name, metric);
    return metric;
  }

  #readValue(device: number, metric: number, ms: number): void {
    this.#cursor.skipSpace();
    const code = this.#cursor.text.charCodeAt(this.#cursor.at);
    let kind: number = KIND.number;
    let cell: number;
    if (isDigit(code) || code === MINUS) cell = this.#cursor.readNumber();
    else if (code === QUOTE) {
      const value = this.#cursor.readPlainText();
      if (!isTextValue(value)) throw UNUSUAL;
      kind = KIND.string;
      cell = this.#collector.addText(value);
    } else if (code === LETTER_T || code === LETTER_F) {
      kind = KIND.boolean;
      cell = code === LETTER_T ? 1 : 0;
      this.#cursor.takeText(cell === 1 ? 'true' : 'false');
    } else throw UNUSUAL;
    const { series } = this.#collector;
    this.#collector.addCell(this.#groups, series.seriesNumber(device, metric, kind), ms, cell);
  }
}

/**
 * Reads a body of samples in its usual form: plain names, all samples valid. Takes half the time of parsing it into
 * objects. Undefined for anything else, which the general reader reads or rejects.
 */
export const scanSamples = (
  text: string,
  format: 'json' | 'ndjson',
  times: TimeRule,
): SampleReading | undefined => {
  try {
    const scanner = new SampleScanner(text, times);
    return format === 'json' ? scanner.readBody() : scanner.readLines();
  } catch (error) {
    if (error !== UNUSUAL) throw error;
    return undefined;
  }
};
