import { pointerOf } from '#contract/json-pointer.ts';
import {
  decodeLossyUtf8,
  decodeUtf8,
  NOT_UTF8,
  parseJson,
  TELEMETRY_JSON_LIMITS,
  UnreadableJson,
} from '../../platform/http/parse-json.ts';
import { addCsvRows } from './csv-reader.ts';
import { LineProtocolReader } from './line-protocol-reader.ts';
import { decodeMetricsRequest } from './otlp-protobuf.ts';
import { addOtlpMetrics } from './otlp-reader.ts';
import { addSeries } from './read-series.ts';
import { addRemoteWrite } from './remote-write-reader.ts';
import { scanSamples } from './sample-scanner.ts';
import { SampleParser } from './read-samples.ts';
import type { SampleReading } from './sample-reading.ts';
import type { TimeRule } from './sample-time.ts';
import { UnreadableBody, wrongField } from './unreadable-body.ts';

/** Why a body cannot be read, as it travels between threads. */
export type Unreadable = Pick<UnreadableBody, 'code' | 'field'> & { readonly detail: string };

/** @throws UnreadableBody */
const decodeWrite = (bytes: Uint8Array): string => {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new UnreadableBody('malformed-body', NOT_UTF8);
  return text;
};

const parseWrite = (text: string): unknown => {
  try {
    return parseJson(text, TELEMETRY_JSON_LIMITS);
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    if (error.reason === 'too-many-entries')
      throw new UnreadableBody(
        'body-too-large',
        `The body ${error.message}. Split it and send several requests.`,
      );
    throw new UnreadableBody('malformed-body', `The body ${error.message}. Fix it, then send it again.`);
  }
};

/**
 * Adds each group, line or row of a body to the current reader. Yields after each of them, so that the caller can
 * replace the reader.
 * @throws UnreadableBody before it adds anything
 */
type AddBody = (bytes: Uint8Array, reader: () => SampleParser) => Iterable<void>;

const FORMS = ['samples', 'series'] as const;
const UNKNOWN_FIELD =
  'Unknown field. The body has one field, samples or series: { "samples": [{ "device", "ts", "values" }] }.';

/** The list of `{ samples: [...] }` or `{ series: [...] }`. @throws UnreadableBody */
const listIn = (bytes: Uint8Array): { form: (typeof FORMS)[number]; list: unknown[] } => {
  const body = parseWrite(decodeWrite(bytes));
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw wrongField('', 'invalid-type', 'Must be an object with the field samples or series.');
  const fields = Object.entries(body);
  const unknownField = fields.find(([key]) => !FORMS.some((form) => form === key));
  if (unknownField !== undefined)
    throw wrongField(pointerOf([unknownField[0]]), 'unknown-field', UNKNOWN_FIELD);
  if (fields.length > 1)
    throw wrongField('/series', 'invalid-type', 'Cannot be combined with samples. Send two requests.');
  const form = 'series' in body ? 'series' : 'samples';
  const list: unknown = fields[0]?.[1];
  if (!Array.isArray(list)) throw wrongField(`/${form}`, 'invalid-type', `Must be a list of ${form}.`);
  return { form, list };
};

/** A function of its own: the bytes and their text can be freed while the samples are added. */
const addGroups = function* (groups: unknown[], reader: () => SampleParser): Generator<void> {
  for (const [index, group] of groups.entries()) {
    reader().add(index, group);
    // Reading a group caches its keys: a million read groups would not fit in memory.
    groups[index] = undefined;
    yield;
  }
};

const addJsonBody: AddBody = (bytes, reader) => {
  const { form, list } = listIn(bytes);
  return form === 'series' ? addSeries(list, reader) : addGroups(list, reader);
};

/** The number of the shortest valid lines in a body of 20 MiB. More lines cannot all be valid. */
const MAX_LINES = { ndjson: 700_000, csv: 3_000_000, 'line-protocol': 1_700_000 };

const requireLines = (format: keyof typeof MAX_LINES, body: string): void => {
  let lines = 0;
  for (let end = body.indexOf('\n'); end !== -1; end = body.indexOf('\n', end + 1)) lines += 1;
  if (lines > MAX_LINES[format])
    throw new UnreadableBody(
      'body-too-large',
      `The body contains ${lines} lines. The limit is ${MAX_LINES[format]} lines. Split it and send several requests.`,
    );
};

/**
 * Adds one group per line (https://github.com/ndjson/ndjson-spec). Its index is the number of the line, from 0. An
 * unreadable line counts as one sample.
 */
const addNdjsonLines: AddBody = function* (bytes, reader) {
  const body = decodeWrite(bytes);
  requireLines('ndjson', body);
  for (let index = 0, start = 0, end = 0; end < body.length; start = end + 1, index += 1) {
    end = body.indexOf('\n', start);
    if (end === -1) end = body.length;
    const line = body.slice(start, end).trim();
    if (line === '') continue;
    try {
      reader().add(index, parseJson(line));
    } catch (error) {
      if (!(error instanceof UnreadableJson)) throw error;
      const { message } = error;
      reader().reject(index, [], 'invalid-sample', () => `The line ${message}. Fix it, then send it again.`);
    }
    yield;
  }
};

const addCsvBody: AddBody = (bytes, reader) => {
  const body = decodeWrite(bytes).replace(/^\ufeff/, '');
  requireLines('csv', body);
  return addCsvRows(body, reader);
};

/** Adds the lines of InfluxDB line protocol. */
const addLines = function* (
  bytes: Uint8Array,
  reader: () => SampleParser,
  deviceTags: readonly string[],
): Generator<void> {
  const exact = decodeUtf8(bytes);
  const body = exact ?? decodeLossyUtf8(bytes);
  requireLines('line-protocol', body);
  const lines = new LineProtocolReader(body, {
    deviceTags,
    lossyBytes: exact === undefined ? bytes : undefined,
  });
  while (lines.readLine(reader())) yield;
};

/** The format of a write. `deviceTags`, `deviceLabels`, `deviceAttributes`: what may name the device, the preferred one first. */
type WriteFormat =
  | { readonly format: keyof typeof ADD }
  | { readonly format: 'line-protocol'; readonly deviceTags: readonly string[] }
  | {
      readonly format: 'remote-write';
      readonly deviceLabels: readonly string[];
      /** The size after decompression. */
      readonly uncompressedBytes: number;
    }
  | {
      readonly format: 'otlp';
      readonly encoding: 'json' | 'protobuf';
      readonly deviceAttributes: readonly string[];
    };

/** A write to read. */
export type WriteInput = WriteFormat & {
  readonly bytes: Uint8Array;
  readonly times: TimeRule;
};

/**
 * Reads a write slice by slice if it is too large to read at once, otherwise returns undefined.
 * @throws HttpProblem `malformed-body`, `validation-failed`, `body-too-large` before the first slice. Later, `body-too-large`
 * if the process runs out of memory
 */
export type ReadLargeWrite = (input: WriteInput) => AsyncIterable<SampleReading> | undefined;

const ADD = { json: addJsonBody, ndjson: addNdjsonLines, csv: addCsvBody } satisfies Record<string, AddBody>;

/** A scanned body is in memory as a whole: 25 bytes for each sample. */
const MAX_SCANNED_BYTES = 4_194_304;

/** Reads a write of samples in their usual form; undefined for others and for large ones. @throws UnreadableBody */
export const scanWrite = ({ bytes, format, times }: WriteInput): SampleReading | undefined => {
  const isScanned = (format === 'json' || format === 'ndjson') && bytes.length <= MAX_SCANNED_BYTES;
  return isScanned ? scanSamples(decodeWrite(bytes), format, times) : undefined;
};

/** Adds the samples of a write to the current reader. @throws UnreadableBody before it adds anything */
export const addWrite = (input: WriteInput, reader: () => SampleParser): Iterable<void> => {
  switch (input.format) {
    case 'line-protocol':
      return addLines(input.bytes, reader, input.deviceTags);
    case 'remote-write':
      return addRemoteWrite(input.bytes, reader, input.deviceLabels);
    case 'otlp':
      return addOtlpMetrics(
        input.encoding === 'json' ? parseWrite(decodeWrite(input.bytes)) : decodeMetricsRequest(input.bytes),
        reader,
        input.deviceAttributes,
      );
    default:
      return ADD[input.format](input.bytes, reader);
  }
};

/** Reads a small write at once. @throws UnreadableBody */
export const readWrite = (input: WriteInput): SampleReading => {
  const scanned = scanWrite(input);
  if (scanned !== undefined) return scanned;
  const reader = new SampleParser(input.times);
  // Each step adds to the reader as a side effect.
  for (const _ of addWrite(input, () => reader)) continue;
  return reader.reading();
};
