import { readSampleTime } from '../../telemetry/write/sample-time.ts';
import { findMixedItems, findNamedFields, findUnreadTime, isMetadata } from './field-names.ts';
import { countValues, putField, putFields } from './flatten.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import { partsOf } from './message-parts.ts';
import type { MessageWriter } from './message-writer.ts';

/** March 1973 in seconds. A smaller `timestamp` is more likely a counter. */
const LEAST_SECONDS = 100_000_000;

export const isTimestamp = (value: unknown): boolean =>
  readSampleTime(value) !== undefined && !(Number(value) < LEAST_SECONDS);

const isEmpty = (object: JsonObject): boolean => Object.keys(object).length === 0;

const writeObject = (writer: MessageWriter, given: JsonObject, nowMs: number): void => {
  const { rest: object, parts } = partsOf(writer, given, nowMs) ?? { rest: given, parts: [] };
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
  const sender = isNamed ? device : found.device;
  const owner = sender ?? writer.device;
  const isMetric = (key: string) =>
    key !== 'device' && key !== 'ts' && key !== 'timestamp' && !found.names.includes(key);
  // The only nested time, such as the time of a header, applies to all values.
  const [first, ...others] = parts;
  const hasOneTime =
    others.length === 0 && first?.isItem === false && keys.every((key) => isObject(object[key]));
  const at = sentAt ?? found.ts ?? (hasOneTime ? first?.ts : undefined);
  const unread = at === undefined ? findUnreadTime(writer, object, keys) : undefined;
  const end = (named: unknown, time: unknown): void => {
    const fault = found.fault ?? (time === undefined ? unread : undefined);
    if (fault === undefined) writer.endGroup(named, time);
    else writer.rejectSamples(named, fault);
  };
  for (const key of keys) {
    if (!isMetric(key)) continue;
    const field = { device: owner, name: key, value: object[key], nowMs };
    if (found.fault === undefined && isMetadata(writer, field)) writer.leaveOut(key);
    else putField(writer, key, object[key]);
  }
  if (!isNamed) putField(writer, 'device', device);
  if (!isTimed) putField(writer, 'timestamp', timestamp);
  if (writer.hasSamples || parts.every(({ fields }) => isEmpty(fields))) end(sender, at);
  for (const part of parts) {
    putFields(writer, part.fields, part.prefix);
    if (writer.hasSamples) end(part.device ?? sender, part.ts ?? at);
  }
};

/**
 * The last will of OwnTracks. Its `tst` is the time at which the app connected, so the time of receipt is used.
 * Source: https://owntracks.org/booklet/tech/json
 */
const isOwnTracksWill = (object: JsonObject | undefined): boolean => object?.['_type'] === 'lwt';

/**
 * Writes a group of samples with nested objects and lists among its values, as in flat JSON. Nested times and devices
 * apply to their own values, `device` and `ts` to all others.
 */
export const writeNestedGroup = (
  writer: MessageWriter,
  { device, ts, values }: { device?: unknown; ts?: unknown; values: JsonObject },
): void => {
  const { rest, parts } = partsOf(writer, values, writer.receivedAtMs) ?? { rest: values, parts: [] };
  putFields(writer, rest);
  if (writer.hasSamples || parts.every(({ fields }) => isEmpty(fields))) writer.endGroup(device, ts);
  for (const part of parts) {
    putFields(writer, part.fields, part.prefix);
    if (writer.hasSamples) writer.endGroup(part.device ?? device, part.ts ?? ts);
  }
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
 * with further names are (`field-names.ts`). Nested objects and lists can have times of their own (`message-parts.ts`).
 * A list whose items belong to different things is not stored as one series of the device of the topic.
 */
export const flatFormat: MessageFormat = {
  name: 'flat',
  write: (message, writer, { nowMs }) => {
    const objects = objectsIn(message);
    if (objects === undefined) return false;
    const mixed = writer.device === undefined ? undefined : findMixedItems(objects);
    if (mixed !== undefined) {
      writer.reject({ ...mixed, samples: objects.reduce((sum, object) => sum + countValues(object), 0) });
      return true;
    }
    const [first] = objects;
    const isWill = objects.length === 1 && isOwnTracksWill(first);
    if (isWill) writeObject(writer, { ...first, tst: null }, nowMs);
    else writer.addAll(objects, (object) => writeObject(writer, object, nowMs));
    writer.saysOffline = isWill;
    return true;
  },
};
