import { SPELLED_LENGTH, spellMetric } from '../../telemetry/write/metric-name.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageWriter } from './message-writer.ts';

/** The limit of values in a list that becomes metrics. Longer lists are usually curves, logs or forecasts. */
const MAX_LIST_VALUES = 32;

/** The number of values in a field and its nested fields. Stops counting above the limit of a list. */
export const countValues = (value: unknown): number => {
  if (value === null || value === undefined) return 0;
  if (typeof value !== 'object') return 1;
  let count = 0;
  for (const item of Object.values(value)) {
    count += countValues(item);
    if (count > MAX_LIST_VALUES) break;
  }
  return count;
};

/** Whether a field is a time that does not belong to the message, by its name: `gas_timestamp`, `minute_ts`. */
const isOtherTime = (name: string): boolean =>
  name.endsWith('_ts') || (name.length > 9 && (name.endsWith('timestamp') || name.endsWith('Timestamp')));

/**
 * Adds a field to the current group. Flattens nested objects and joins names by dots: `{ "room": { "temp": 21 } }`
 * becomes `room.temp`. The items of a list are named by their positions, from 0: `phases.0`. Leaves out long lists,
 * lists of text (choices or descriptions) and times that do not belong to the message. Omits null, which means no
 * value. Of two fields with the same name, keeps the first and rejects the second.
 */
export const putField = (writer: MessageWriter, path: string, value: unknown): void => {
  if (value === null || value === undefined) return;
  if (isObject(value)) return putFields(writer, value, `${path}.`);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const isChoice = items.length > 0 && items.every((item) => typeof item === 'string');
    if (isChoice || countValues(items) > MAX_LIST_VALUES) return writer.leaveOut(path);
    for (const [position, item] of items.entries()) putField(writer, `${path}.${position}`, item);
    return;
  }
  if (isOtherTime(path)) writer.leaveOut(path);
  else if (!writer.put(path, value))
    writer.reject({
      reason: 'duplicate-metric',
      detail: `The message has ${path} twice for the same device and time. Rename one of the fields.`,
      samples: 1,
    });
};

/** Whether a list can be the value of a topic: it has only words, or only numbers, booleans and null. */
export const isValueList = (content: unknown): content is readonly unknown[] =>
  Array.isArray(content) &&
  (content.every((item) => typeof item === 'string') ||
    content.every((item) => typeof item === 'number' || typeof item === 'boolean' || item === null));

/** Adds the fields of an object, whose names follow a prefix. A long prefix is shortened once for all of them. */
export const putFields = (writer: MessageWriter, object: JsonObject, prefix = ''): void => {
  const start = prefix.length > SPELLED_LENGTH ? `${spellMetric(prefix)}.` : prefix;
  for (const key of Object.keys(object)) putField(writer, start + key, object[key]);
};

/** Replaces lists by objects whose fields are the positions, from `first` on. */
export const withPositions = (value: unknown, first: number): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const isList = Array.isArray(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      isList ? String(Number(key) + first) : key,
      withPositions(item, first),
    ]),
  );
};
