import { readSampleTime } from '../../telemetry/write/sample-time.ts';
import { findNamedFields } from './field-names.ts';
import { putField } from './flatten.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';

/** March 1973 in seconds. A smaller `timestamp` is more likely a counter. */
const LEAST_SECONDS = 100_000_000;

export const isTimestamp = (value: unknown): boolean =>
  readSampleTime(value) !== undefined && !(Number(value) < LEAST_SECONDS);

const writeObject = (writer: MessageWriter, object: JsonObject, nowMs: number): void => {
  const { device, ts, timestamp } = object;
  const isNamed = typeof device === 'string';
  const sentAt = ts ?? (isTimestamp(timestamp) ? timestamp : undefined);
  const isTimed = ts === undefined && sentAt !== undefined;
  const needsDevice = !isNamed && writer.device === undefined;
  const keys = Object.keys(object);
  const found = findNamedFields(writer, object, {
    keys,
    needsDevice,
    needsTime: sentAt === undefined,
    nowMs,
  });
  for (const key of keys)
    if (key !== 'device' && key !== 'ts' && key !== 'timestamp' && !found.names.includes(key))
      putField(writer, key, object[key]);
  if (!isNamed) putField(writer, 'device', device);
  if (!isTimed) putField(writer, 'timestamp', timestamp);
  const sender = isNamed ? device : found.device;
  if (found.fault === undefined) writer.endGroup(sender, sentAt ?? found.ts);
  else writer.rejectSamples(sender, found.fault);
};

/** The objects of a message. A list that mixes the Penstock format and flat objects has no single format. */
const objectsIn = (message: unknown): JsonObject[] | undefined => {
  if (isObject(message)) return [message];
  const isFlat = (item: unknown): item is JsonObject => isObject(item) && !isObject(item['values']);
  return Array.isArray(message) && message.length > 0 && message.every(isFlat) ? message : undefined;
};

/**
 * `{ temp: 21, … }` or a list of such objects. Each field is a metric; names of nested fields are joined by dots.
 * `device` is the device if it is text, and `ts`, or a plausible `timestamp`, is the timestamp. Without them, fields
 * with further names are (`field-names.ts`).
 */
export const flatFormat: MessageFormat = {
  name: 'flat',
  write: (message, writer, { nowMs }) => {
    const objects = objectsIn(message);
    if (objects === undefined) return false;
    writer.addAll(objects, (object) => writeObject(writer, object, nowMs));
    return true;
  },
};
