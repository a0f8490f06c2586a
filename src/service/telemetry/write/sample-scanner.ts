import { isExternalId } from '#contract/devices.ts';
import { FORBIDDEN_KEYS, LIMITS, metricNameSchema } from '#contract/telemetry.ts';
import { TELEMETRY_JSON_LIMITS } from '../../platform/http/parse-json.ts';
import { KIND } from '../store/sample-columns.ts';
import { isTextValue } from './read-samples.ts';
import { SampleCollector } from './sample-collector.ts';
import type { SampleReading } from './sample-reading.ts';
import { isImplausible, readSampleTime, type TimeRule } from './sample-time.ts';

/** The body is invalid, or valid JSON of a rare form. */
const UNUSUAL = new Error('The body needs the general reader.');

const [TAB, LINE_FEED, RETURN, SPACE, QUOTE, COMMA] = [9, 10, 13, 32, 0x22, 0x2c];
const [MINUS, DOT, ZERO, NINE, COLON] = [0x2d, 0x2e, 0x30, 0x39, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [LETTER_F, LETTER_T] = [0x66, 0x74];

const JSON_NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A JSON text has these only in escapes. */
const NEEDS_ESCAPE = /[\u0000-\u001f\\]/;
/** Integers of up to 15 digits and these powers are exact as doubles, so their quotient is rounded once. */
const EXACT_DIGITS = 15;
const POWERS = Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power);
/** What a sample adds to the values of a body besides its own, at most: its objects, and commas. */
const ENTRIES_PER_SAMPLE = 5;

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;
/** A copy, because a part of a text would keep the whole text in memory. */
const copyOf = (text: string): string => Buffer.from(text).toString();

const MAX_KNOWN_DEVICES = 50_000;
/** Valid names of devices: a sender sends the same ones again and again. */
const knownDevices = new Map<string, string>();

type Metric = { readonly quoted: string; readonly number: number; lastSample: number };

/** Reads samples from JSON text into columns without parsing it into objects. @throws UNUSUAL */
class SampleScanner {
  readonly #text: string;
  readonly #times: TimeRule;
  readonly #collector = new SampleCollector();
  readonly #metrics = new Map<string, Metric>();
  /** The metrics of the last sample: the next one mostly has the same. */
  readonly #order: Metric[] = [];
  #at = 0;
  #samples = 0;
  #lastTime = { text: '', ms: Number.NaN };

  constructor(text: string, times: TimeRule) {
    this.#text = text;
    this.#times = times;
  }

  /** `{ "samples": [...] }` */
  readBody(): SampleReading {
    this.#take(OPEN_OBJECT);
    this.#takeText('"samples"');
    this.#take(COLON);
    this.#take(OPEN_LIST);
    do this.#readSample();
    while (this.#takeIf(COMMA));
    this.#take(CLOSE_LIST);
    this.#take(CLOSE_OBJECT);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw UNUSUAL;
    return this.#collector.reading();
  }

  /** One sample per line. */
  readLines(): SampleReading {
    const text = this.#text;
    while (this.#at < text.length) {
      const found = text.indexOf('\n', this.#at);
      const end = found === -1 ? text.length : found;
      this.#readSample();
      if (this.#at !== end && (this.#at > end || text.slice(this.#at, end).trim() !== '')) throw UNUSUAL;
      this.#at = end + 1;
    }
    return this.#collector.reading();
  }

  #readSample(): void {
    const first = this.#collector.length;
    let device = -1;
    let ms: number | undefined;
    let hasValues = false;
    this.#take(OPEN_OBJECT);
    do {
      this.#skipSpace();
      if (device === -1 && this.#takeTextIf('"device"')) {
        this.#take(COLON);
        device = this.#readDevice();
      } else if (ms === undefined && this.#takeTextIf('"ts"')) {
        this.#take(COLON);
        ms = this.#readTime();
        if (hasValues) this.#collector.ts.fill(ms, first, this.#collector.length);
      } else if (device !== -1 && !hasValues && this.#takeTextIf('"values"')) {
        this.#take(COLON);
        this.#readValues(device, ms ?? Number.NaN);
        hasValues = true;
      } else throw UNUSUAL;
    } while (this.#takeIf(COMMA));
    this.#take(CLOSE_OBJECT);
    this.#samples += 1;
    const entries = this.#collector.length + this.#samples * ENTRIES_PER_SAMPLE;
    if (!hasValues || entries > TELEMETRY_JSON_LIMITS.values) throw UNUSUAL;
  }

  #readDevice(): number {
    const { series } = this.#collector;
    const given = this.#readPlainText();
    let name = knownDevices.get(given);
    if (name === undefined) {
      if (!isExternalId(given)) throw UNUSUAL;
      name = copyOf(given);
      if (knownDevices.size >= MAX_KNOWN_DEVICES) knownDevices.clear();
      knownDevices.set(name, name);
    }
    return series.deviceNumber(name);
  }

  #readTime(): number {
    this.#skipSpace();
    const start = this.#at;
    const { text, ms } = this.#lastTime;
    if (text !== '' && this.#text.startsWith(text, start)) {
      const code = this.#text.charCodeAt(start + text.length);
      if (code === COMMA || code === CLOSE_OBJECT) {
        this.#at += text.length;
        return ms;
      }
    }
    const given = this.#text.charCodeAt(start) === QUOTE ? this.#readPlainText() : this.#readNumber();
    const read = readSampleTime(given, this.#times);
    if (read === undefined || isImplausible(read, this.#times)) throw UNUSUAL;
    this.#lastTime = { text: this.#text.slice(start, this.#at), ms: read };
    return read;
  }

  #readValues(device: number, ms: number): void {
    this.#take(OPEN_OBJECT);
    let position = 0;
    do {
      const metric = this.#readMetric(position);
      position += 1;
      // The last of several values of a metric counts.
      if (metric.lastSample === this.#samples || position > LIMITS.metricsPerSample) throw UNUSUAL;
      metric.lastSample = this.#samples;
      this.#take(COLON);
      this.#readValue(device, metric.number, ms);
    } while (this.#takeIf(COMMA));
    this.#take(CLOSE_OBJECT);
  }

  #readMetric(position: number): Metric {
    this.#skipSpace();
    const expected = this.#order[position];
    if (expected !== undefined && this.#takeTextIf(expected.quoted)) return expected;
    const given = this.#readPlainText();
    const metric = this.#metrics.get(given) ?? this.#addMetric(copyOf(given));
    this.#order[position] = metric;
    return metric;
  }

  #addMetric(name: string): Metric {
    // Names that begin with a digit may change their order when they are parsed.
    const isPlain = !isDigit(name.charCodeAt(0)) && !FORBIDDEN_KEYS.includes(name);
    if (!isPlain || !metricNameSchema.safeParse(name).success) throw UNUSUAL;
    const number = this.#collector.series.metricNumber(name);
    const metric = { quoted: `"${name}"`, number, lastSample: -1 };
    this.#metrics.set(name, metric);
    return metric;
  }

  #readValue(device: number, metric: number, ms: number): void {
    this.#skipSpace();
    const code = this.#text.charCodeAt(this.#at);
    let kind: number = KIND.number;
    let cell: number;
    if (isDigit(code) || code === MINUS) cell = this.#readNumber();
    else if (code === QUOTE) {
      const value = this.#readPlainText();
      if (!isTextValue(value)) throw UNUSUAL;
      kind = KIND.string;
      cell = this.#collector.addText(value);
    } else if (code === LETTER_T || code === LETTER_F) {
      kind = KIND.boolean;
      cell = code === LETTER_T ? 1 : 0;
      this.#takeText(cell === 1 ? 'true' : 'false');
    } else throw UNUSUAL;
    const { series } = this.#collector;
    this.#collector.addCell(this.#samples, series.seriesNumber(device, metric, kind), ms, cell);
  }

  #readNumber(): number {
    const text = this.#text;
    const start = this.#at;
    const isNegative = text.charCodeAt(start) === MINUS;
    const digitsStart = isNegative ? start + 1 : start;
    let at = digitsStart;
    let mantissa = 0;
    let point = -1;
    let code = text.charCodeAt(at);
    for (; isDigit(code) || (code === DOT && point === -1); code = text.charCodeAt(at)) {
      if (code === DOT) point = at;
      else mantissa = mantissa * 10 + code - ZERO;
      at += 1;
    }
    const decimals = point === -1 ? 0 : at - point - 1;
    const whole = (point === -1 ? at : point) - digitsStart;
    const hasLeadingZero = whole > 1 && text.charCodeAt(digitsStart) === ZERO;
    const isEnd = code === COMMA || code === CLOSE_OBJECT || code === SPACE || code === LINE_FEED;
    const isSimple = isEnd && whole > 0 && !hasLeadingZero && (point === -1 || decimals > 0);
    if (!isSimple || whole + decimals > EXACT_DIGITS) return this.#readLongNumber();
    this.#at = at;
    const size = decimals === 0 ? mantissa : mantissa / POWERS[decimals]!;
    return isNegative ? -size : size;
  }

  /** A number of many digits or with an exponent. */
  #readLongNumber(): number {
    JSON_NUMBER.lastIndex = this.#at;
    const [token] = JSON_NUMBER.exec(this.#text) ?? [];
    const number = Number(token);
    if (token === undefined || !Number.isFinite(number)) throw UNUSUAL;
    this.#at += token.length;
    return number;
  }

  /** A text without escapes. */
  #readPlainText(): string {
    this.#take(QUOTE);
    const end = this.#text.indexOf('"', this.#at);
    if (end === -1) throw UNUSUAL;
    const text = this.#text.slice(this.#at, end);
    if (NEEDS_ESCAPE.test(text)) throw UNUSUAL;
    this.#at = end + 1;
    return text;
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== SPACE && code !== LINE_FEED && code !== RETURN && code !== TAB) return;
      this.#at += 1;
    }
  }

  #takeIf(code: number): boolean {
    this.#skipSpace();
    if (this.#text.charCodeAt(this.#at) !== code) return false;
    this.#at += 1;
    return true;
  }

  #take(code: number): void {
    if (!this.#takeIf(code)) throw UNUSUAL;
  }

  #takeTextIf(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #takeText(text: string): void {
    this.#skipSpace();
    if (!this.#takeTextIf(text)) throw UNUSUAL;
  }
}

/**
 * Reads a body of samples in its usual form: plain names, all samples valid. Takes a third of the time of parsing it
 * into objects. Undefined for anything else, which the general reader reads or rejects.
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
