import { parseJson, TELEMETRY_JSON_LIMITS, UnreadableJson } from '../../platform/http/parse-json.ts';
import { findOwnDevice, findOwnTime, hasOwnNames, isNoMetric } from './field-names.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageWriter } from './message-writer.ts';

/** Nested fields with a time or a device of their own. */
type Part = {
  /** Of their metrics. */
  readonly prefix: string;
  readonly fields: JsonObject;
  /** Undefined: those of the message. */
  readonly device: string | undefined;
  readonly ts: unknown;
  /** Whether it is one of several in a list. */
  readonly isItem: boolean;
};

/** A message in parts, and the fields that are in none of them. */
type Parts = { readonly rest: JsonObject; readonly parts: readonly Part[] };

/** Text that is a JSON object, as services that forward messages write them: `"data": "{\"temp\":21}"`. */
const readNestedJson = (value: unknown): unknown => {
  if (typeof value !== 'string' || !value.startsWith('{')) return value;
  try {
    return parseJson(value, TELEMETRY_JSON_LIMITS);
  } catch (error) {
    if (error instanceof UnreadableJson) return value;
    throw error;
  }
};

/** Quick, since most messages have no parts. */
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
    const noMetrics = Object.keys(fields).filter((name) =>
      isNoMetric(writer, { device: device?.device, name, value: fields[name], nowMs }),
    );
    const own = without(fields, [...(time?.names ?? []), ...(device?.names ?? []), ...noMetrics]);
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
 * Splits a message into the nested objects that have a time of their own, and the items of lists that have a time or a device of
 * their own. Undefined: it has none.
 */
export const partsOf = (writer: MessageWriter, object: JsonObject, nowMs: number): Parts | undefined =>
  mayHaveParts(object, false) ? split(writer, object, '', nowMs) : undefined;
