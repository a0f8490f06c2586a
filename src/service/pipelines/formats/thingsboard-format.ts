import { flatten } from './flatten.ts';
import {
  hasOnly,
  isObject,
  type FormatReading,
  type JsonObject,
  type MessageFormat,
} from './message-format.ts';

type TimedValues = { ts?: unknown; values: JsonObject };

export const isTimedValues = (value: unknown): value is TimedValues =>
  isObject(value) && isObject(value['values']) && hasOnly(value, ['ts', 'values']);

export const readTimedValues = (items: readonly TimedValues[], device?: string): FormatReading => {
  const read = items.map(({ ts, values }) => ({ ts, ...flatten(values) }));
  return {
    samples: read.map(({ ts, values }) => ({
      ...(device === undefined ? {} : { device }),
      ...(ts === undefined ? {} : { ts }),
      values,
    })),
    rejections: read.flatMap(({ rejections }) => rejections),
  };
};

/**
 * `{ ts, values }` or a list of these objects. Names of nested values are joined by dots.
 * Source: https://thingsboard.io/docs/reference/mqtt-api/telemetry/
 */
export const thingsboardFormat: MessageFormat = {
  name: 'thingsboard',
  read: (message) => {
    const items: unknown[] = Array.isArray(message) ? message : [message];
    // Without a timestamp, it is a sample in the Penstock format.
    const isOurs = !items.every((item) => isObject(item) && 'ts' in item);
    return isOurs || items.length === 0 || !items.every(isTimedValues) ? undefined : readTimedValues(items);
  },
};
