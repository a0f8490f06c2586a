import { isObject, type JsonObject, type FormatRejection } from './message-format.ts';
import { shortenMetric } from '../../telemetry/write/metric-name.ts';

/**
 * Flattens nested objects and joins names by dots: `{ "room": { "temp": 21 } }` becomes `room.temp`. Shortens names
 * longer than 128 characters. Omits null, which means no value. Keeps lists, which are rejected later with other
 * invalid values. Of two values with the same name, keeps the first and rejects the second.
 */
export const flatten = (object: JsonObject): { values: JsonObject; rejections: FormatRejection[] } => {
  const values: JsonObject = {};
  const rejections: FormatRejection[] = [];
  const walk = (inner: JsonObject, prefix: string): void => {
    for (const [key, value] of Object.entries(inner)) {
      const path = prefix === '' ? key : `${prefix}.${key}`;
      if (value === null) continue;
      if (isObject(value)) {
        walk(value, path);
        continue;
      }
      const name = shortenMetric(path);
      if (Object.hasOwn(values, name))
        rejections.push({
          reason: 'duplicate-metric',
          detail: `${name} appears twice in one sample. Rename one of the values.`,
          values: 1,
        });
      else values[name] = value;
    }
  };
  walk(object, '');
  return { values, rejections };
};
