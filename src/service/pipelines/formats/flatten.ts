import { isObject, type JsonObject, type FormatRejection } from './message-format.ts';
import { shortenMetric } from './shorten-metric.ts';

/**
 * Makes one level of nested objects, their names joined by dots: `{ "room": { "temp": 21 } }` is `room.temp`. Names
 * longer than 128 characters are shortened.
 * A null says that there is no value and is left out; lists stay, and are refused with the other values that no
 * metric can hold. Of two values that come to the same name the first stays.
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
          detail: `${name}: Appears twice in one sample. Rename one of the values.`,
          values: 1,
        });
      else values[name] = value;
    }
  };
  walk(object, '');
  return { values, rejections };
};
