import { putFields } from './flatten.ts';
import { hasOnly, isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';

export type TimedValues = { ts?: unknown; values: JsonObject };

export const isTimedValues = (value: unknown): value is TimedValues =>
  isObject(value) && isObject(value['values']) && hasOnly(value, ['ts', 'values']);

export const writeTimedValues = (writer: MessageWriter, items: TimedValues[], device?: string): void =>
  writer.addAll(items, ({ ts, values }) => {
    putFields(writer, values);
    writer.endGroup(device, ts);
  });

/**
 * `{ ts, values }` or a list of these objects. Names of nested values are joined by dots.
 * Source: https://thingsboard.io/docs/reference/mqtt-api/telemetry/
 */
export const thingsboardFormat: MessageFormat = {
  name: 'thingsboard',
  write: (message, writer) => {
    const items: unknown[] = Array.isArray(message) ? message : [message];
    // Without a timestamp, it is in the Penstock format.
    const isTimed = items.every((item) => isObject(item) && 'ts' in item);
    if (!isTimed || items.length === 0 || !items.every(isTimedValues)) return false;
    writeTimedValues(writer, items);
    return true;
  },
};
