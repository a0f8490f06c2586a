import { shortenMetric } from '../../telemetry/write/metric-name.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageWriter } from './message-writer.ts';

/**
 * Adds a field to the current group. Flattens nested objects and joins names by dots: `{ "room": { "temp": 21 } }`
 * becomes `room.temp`. Shortens names longer than 128 characters. Omits null, which means no value. Keeps lists, which
 * are rejected later with other invalid values. Of two fields with the same name, keeps the first and rejects the second.
 */
export const putField = (writer: MessageWriter, path: string, value: unknown): void => {
  if (value === null || value === undefined) return;
  if (isObject(value)) return putFields(writer, value, `${path}.`);
  const metric = shortenMetric(path);
  if (!writer.put(metric, value))
    writer.reject({
      reason: 'duplicate-metric',
      detail: `The message has ${metric} twice for the same device and time. Rename one of the fields.`,
      samples: 1,
    });
};

export const putFields = (writer: MessageWriter, object: JsonObject, prefix = ''): void => {
  for (const key of Object.keys(object)) putField(writer, prefix + key, object[key]);
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
