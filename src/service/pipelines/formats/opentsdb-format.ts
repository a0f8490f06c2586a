import { LIMITS } from '#contract/sample-rules.ts';
import { hasOnly, isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';
import { taggedMetricOf } from './tagged-metric.ts';
import { TimedSamples } from './timed-samples.ts';

type DataPoint = {
  readonly metric: string;
  /** Undefined: the time of receipt. */
  readonly timestamp: number | string | undefined;
  readonly value: unknown;
  readonly tags: ReadonlyMap<string, string>;
};

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** A value as a number; other text stays text. */
const valueOf = (value: unknown): unknown =>
  typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;

/** A data point, and how a rejection names it (`Line 3`, `Data point 3`). */
type NamedPoint = DataPoint & { readonly name: string };

/** Writes data points, in the groups of their devices and times. */
const writeDataPoints = (writer: MessageWriter, points: readonly NamedPoint[]): void => {
  const groups = new TimedSamples();
  for (const [index, { name, metric: given, tags, timestamp, value }] of points.entries()) {
    const { device, metric } = taggedMetricOf(given, tags);
    const externalId = device === undefined ? undefined : writer.deviceNamed(device);
    if (groups.add({ device: externalId, ts: timestamp }, metric, value, index) !== undefined)
      writer.reject({
        reason: 'duplicate-metric',
        detail: `${name} repeats ${metric} for the same device and time. Remove one of them.`,
        samples: 1,
      });
  }
  groups.writeTo(writer, LIMITS.metricsPerTimestamp);
};

/** Reads a line that is not empty, without the blanks around it; undefined: it has another format. */
type ReadLine = (line: string) => DataPoint | undefined;

/** Writes the data points of lines, and rejects lines that are not `wanted`. */
const writeLines = (writer: MessageWriter, text: string, readLine: ReadLine, wanted: string): void => {
  const points: NamedPoint[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const name = `Line ${index + 1}`;
    const point = readLine(line.trim());
    if (point !== undefined) points.push({ ...point, name });
    else writer.reject({ reason: 'invalid-line', detail: `${name} must be ${wanted}.`, samples: 1 });
  }
  writeDataPoints(writer, points);
};

/** The first line that is not empty. */
const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0]!.trimEnd();

const FIELDS = ['metric', 'timestamp', 'value', 'tags'];

const isDataPoint = (item: unknown): item is JsonObject & { metric: string; timestamp: number | string } =>
  isObject(item) &&
  typeof item['metric'] === 'string' &&
  (typeof item['timestamp'] === 'number' || typeof item['timestamp'] === 'string') &&
  'value' in item &&
  isObject(item['tags']) &&
  Object.values(item['tags']).every((tag) => typeof tag === 'string' || typeof tag === 'number') &&
  hasOnly(item, FIELDS);

/**
 * JSON of OpenTSDB's `/api/put`: a data point or a list of them. The tag `device_id`, `host` or `device` is the
 * device, the other tags are part of the metric.
 * Source: http://opentsdb.net/docs/build/html/api_http/put.html
 */
export const openTsdbFormat: MessageFormat = {
  name: 'opentsdb',
  write: (message, writer) => {
    const items: unknown[] = Array.isArray(message) ? message : [message];
    if (items.length === 0 || !items.every(isDataPoint)) return false;
    const points = items.map(({ metric, timestamp, value, tags }, index) => ({
      name: `Data point ${index + 1}`,
      metric,
      timestamp,
      value: valueOf(value),
      tags: new Map(Object.entries(tags as JsonObject).map(([tag, text]) => [tag, String(text)])),
    }));
    writeDataPoints(writer, points);
    return true;
  },
};

const tagsIn = (texts: readonly string[]): ReadonlyMap<string, string> | undefined => {
  const tags = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at < 1 || at === text.length - 1) return undefined;
    tags.set(text.slice(0, at), text.slice(at + 1));
  }
  return tags;
};

const openTsdbLine: ReadLine = (line) => {
  const [put, metric = '', timestamp = '', value = '', ...texts] = line.split(/\s+/);
  const tags = tagsIn(texts);
  const isValid = put === 'put' && metric !== '' && /^\d+$/.test(timestamp) && NUMBER.test(value);
  return isValid && tags !== undefined ? { metric, timestamp, value: Number(value), tags } : undefined;
};

/**
 * Lines of OpenTSDB: `put sys.cpu.user 1356998400 42.5 host=web01 cpu=0`.
 * Source: http://opentsdb.net/docs/build/html/api_telnet/put.html
 */
export const openTsdbTextFormat = {
  name: 'opentsdb-text',
  /** Returns false, and writes nothing, if the text has another format. */
  write: (text: string, writer: MessageWriter): boolean => {
    if (openTsdbLine(firstLine(text)) === undefined) return false;
    writeLines(writer, text, openTsdbLine, '“put METRIC TIMESTAMP VALUE TAG=VALUE”');
    return true;
  },
} as const;

/** Seconds of ten digits: a shorter or longer number is the time of another format. -1: the time of receipt. */
const GRAPHITE_TIME = /^(\d{10}(\.\d+)?|-1)$/;

const graphiteLine: ReadLine = (line) => {
  const [path = '', value = '', timestamp = '', ...others] = line.split(/\s+/);
  const [metric = '', ...texts] = path.split(';');
  const tags = tagsIn(texts);
  const isValid = metric !== '' && others.length === 0 && NUMBER.test(value) && GRAPHITE_TIME.test(timestamp);
  if (!isValid || tags === undefined) return undefined;
  const ts = timestamp === '-1' ? undefined : timestamp;
  return { metric, timestamp: ts, value: Number(value), tags };
};

/**
 * Lines of Graphite: `local.random.diceroll 4 1795253400`, and with tags `disk.used;host=web01;rack=a1 1.0 1795253400`.
 * A name without dots and tags looks like Prometheus text.
 * Sources: https://graphite.readthedocs.io/en/latest/feeding-carbon.html and …/tags.html
 */
export const graphiteFormat = {
  name: 'graphite',
  /** Returns false, and writes nothing, if the text has another format. */
  write: (text: string, writer: MessageWriter): boolean => {
    const first = firstLine(text);
    if (!/^[^\s{]*[.;]/.test(first) || graphiteLine(first) === undefined) return false;
    writeLines(writer, text, graphiteLine, '“PATH VALUE TIMESTAMP”');
    return true;
  },
} as const;
