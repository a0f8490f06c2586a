import { parseJson, TELEMETRY_JSON_LIMITS, UnreadableJson } from '../../platform/http/parse-json.ts';
import { findOwnDevice, findOwnTime, hasOwnNames, isMetadata } from './field-names.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageWriter } from './message-writer.ts';

/** Nested fields with a time or a device of their own. */
type Part = {
  /** The prefix of the metrics. */
  readonly prefix: string;
  readonly fields: JsonObject;
  /** Undefined: the device and the time of the message apply. */
  readonly device: string | undefined;
  readonly ts: unknown;
  /** Whether the part is an item of a list. */
  readonly isItem: boolean;
};

/** A message in parts. `rest`: the fields that are not in any part. */
type Parts = { readonly rest: JsonObject; readonly parts: readonly Part[] };

/** Parses text that is a JSON object. Services that forward messages nest them as text: `"data": "{\"temp\":21}"`. */
const readNestedJson = (value: unknown): unknown => {
  if (typeof value !== 'string' || !value.startsWith('{')) return value;
  try {
    return parseJson(value, TELEMETRY_JSON_LIMITS);
  } catch (error) {
    if (error instanceof UnreadableJson) return value;
    throw error;
  }
};

/** Whether a value can contain parts. A quick check, because most messages have no parts. */
const mayHaveParts = (value: unknown, isNested: boolean): boolean => {
  if (Array.isArray(value)) return value.length > 0 && value.every(isObject) && value.every(hasOwnNames);
  if (typeof value === 'string') return value.startsWith('{');
  if (!isObject(value)) return false;
  if (isNested && hasOwnNames(value)) return true;
  for (const key of Object.keys(value)) if (mayHaveParts(value[key], true)) return true;
  return false;
};

const without = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

const split = (writer: MessageWriter, object: JsonObject, prefix: string, nowMs: number): Parts => {
  const rest: JsonObject = {};
  const parts: Part[] = [];
  const addPart = (fields: JsonObject, path: string, isItem: boolean): boolean => {
    const time = findOwnTime(writer, fields, nowMs);
    const device = isItem ? findOwnDevice(writer, fields) : undefined;
    if (time === undefined && device === undefined) return false;
    const metadata = Object.keys(fields).filter((name) =>
      isMetadata(writer, { device: device?.device, name, value: fields[name], nowMs }),
    );
    const own = without(fields, [...(time?.names ?? []), ...(device?.names ?? []), ...metadata]);
    const inner = split(writer, own, `${path}.`, nowMs);
    parts.push(
      { prefix: `${path}.`, fields: inner.rest, device: device?.device, ts: time?.ts, isItem },
      ...inner.parts,
    );
    return true;
  };
  for (const [key, given] of Object.entries(object)) {
    const value = readNestedJson(given);
    const path = prefix + key;
    if (isObject(value)) {
      if (addPart(value, path, false)) continue;
      const inner = split(writer, value, `${path}.`, nowMs);
      parts.push(...inner.parts);
      rest[key] = inner.rest;
    } else if (Array.isArray(value) && mayHaveParts(value, true)) {
      const others = (value as JsonObject[]).filter((item) => !addPart(item, path, true));
      if (others.length > 0) rest[key] = others;
    } else rest[key] = value;
  }
  return { rest, parts };
};

/**
 * Splits a message into the nested objects with a time of their own, and the items of lists with a time or a device of
 * their own. Returns undefined if there are none.
 */
export const partsOf = (writer: MessageWriter, object: JsonObject, nowMs: number): Parts | undefined =>
  mayHaveParts(object, false) ? split(writer, object, '', nowMs) : undefined;
