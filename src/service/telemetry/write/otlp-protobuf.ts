import { WireType } from '@bufbuild/protobuf/wire';
import { ProtobufFields, requireProtobuf } from './protobuf-fields.ts';
import { UnreadableBody } from './unreadable-body.ts';

type Scalar = 'string' | 'bool' | 'int64' | 'uint32' | 'double' | 'fixed64' | 'sfixed64' | 'bytes';

/** A field: its name in JSON, its type or message, and whether it is a list. */
type Field = { readonly name: string; readonly type: Scalar | (() => Message); readonly isList?: boolean };

/** The fields of a message by their numbers. Others are ignored. */
type Message = Readonly<Record<number, Field>>;

const one = (name: string, type: Field['type']): Field => ({ name, type });
const many = (name: string, type: Field['type']): Field => ({ name, type, isList: true });

const anyValue: Message = {
  1: one('stringValue', 'string'),
  2: one('boolValue', 'bool'),
  3: one('intValue', 'int64'),
  4: one('doubleValue', 'double'),
  5: one('arrayValue', () => ({ 1: many('values', () => anyValue) })),
  6: one('kvlistValue', () => ({ 1: many('values', () => keyValue) })),
  7: one('bytesValue', 'bytes'),
};
const keyValue: Message = { 1: one('key', 'string'), 2: one('value', () => anyValue) };
const attributes = many('attributes', () => keyValue);
const timeUnixNano = one('timeUnixNano', 'fixed64');
const flags = one('flags', 'uint32');
const [count, sum] = [one('count', 'fixed64'), one('sum', 'double')];
const pointsOf = (point: Message): Field['type'] => {
  const points = { 1: many('dataPoints', () => point) };
  return () => points;
};

const numberPoint: Message = {
  3: timeUnixNano,
  4: one('asDouble', 'double'),
  6: one('asInt', 'sfixed64'),
  7: attributes,
  8: flags,
};
const histogramPoint: Message = {
  3: timeUnixNano,
  4: count,
  5: sum,
  6: many('bucketCounts', 'fixed64'),
  7: many('explicitBounds', 'double'),
  9: attributes,
  10: flags,
  11: one('min', 'double'),
  12: one('max', 'double'),
};
const quantile: Message = { 1: one('quantile', 'double'), 2: one('value', 'double') };
const summaryPoint: Message = {
  3: timeUnixNano,
  4: count,
  5: sum,
  6: many('quantileValues', () => quantile),
  7: attributes,
  8: flags,
};
const metric: Message = {
  1: one('name', 'string'),
  5: one('gauge', pointsOf(numberPoint)),
  7: one('sum', pointsOf(numberPoint)),
  9: one('histogram', pointsOf(histogramPoint)),
  10: one('exponentialHistogram', pointsOf({})),
  11: one('summary', pointsOf(summaryPoint)),
};
const scopeMetrics: Message = {
  1: one('scope', () => ({ 1: one('name', 'string') })),
  2: many('metrics', () => metric),
};
const resourceMetrics: Message = {
  1: one('resource', () => ({ 1: attributes })),
  2: many('scopeMetrics', () => scopeMetrics),
};
const request: Message = { 1: many('resourceMetrics', () => resourceMetrics) };

const { Varint, Bit64, LengthDelimited } = WireType;
const WIRE_TYPES: Readonly<Record<Scalar, WireType>> = {
  string: LengthDelimited,
  bytes: LengthDelimited,
  bool: Varint,
  int64: Varint,
  uint32: Varint,
  double: Bit64,
  fixed64: Bit64,
  sfixed64: Bit64,
};

/** Each value takes up to a hundred bytes of memory. */
const MAX_VALUES = 1_000_000;
/** As deep as JSON may be. */
const MAX_DEPTH = 32;

/** Decodes messages into the objects that OTLP has in JSON. @throws Error */
class Decoder {
  readonly #fields: ProtobufFields;
  #values = 0;

  constructor(bytes: Uint8Array) {
    this.#fields = new ProtobufFields(bytes);
  }

  decode(message: Message, end: number, depth = 0): Record<string, unknown> {
    if (depth > MAX_DEPTH) throw new RangeError(`it nests deeper than ${MAX_DEPTH} levels`);
    const fields = this.#fields;
    const decoded: Record<string, unknown> = {};
    while (fields.next(end)) {
      const field = message[fields.field];
      if (field === undefined) fields.skipField();
      else this.#readField(field, decoded, depth);
    }
    return decoded;
  }

  #readField({ name, type, isList = false }: Field, decoded: Record<string, unknown>, depth: number): void {
    const fields = this.#fields;
    const wireType = typeof type === 'string' ? WIRE_TYPES[type] : LengthDelimited;
    const isPacked = isList && typeof type === 'string' && fields.type === LengthDelimited;
    if (fields.type !== wireType && !isPacked) return fields.skipField();
    if (!isList) {
      decoded[name] = this.#readValue(type, depth);
      return;
    }
    const list = (decoded[name] ??= []) as unknown[];
    if (isPacked) for (const end = fields.enter(); fields.pos < end;) list.push(this.#readValue(type, depth));
    else list.push(this.#readValue(type, depth));
  }

  #readValue(type: Field['type'], depth: number): unknown {
    const fields = this.#fields;
    this.#values += 1;
    if (this.#values > MAX_VALUES)
      throw new UnreadableBody(
        'body-too-large',
        `The body contains more than ${MAX_VALUES} values. Split it and send several requests.`,
      );
    if (typeof type !== 'string') return this.decode(type(), fields.enter(), depth + 1);
    switch (type) {
      case 'string':
        return fields.string(true);
      case 'bytes':
        return Buffer.from(fields.bytes()).toString('base64');
      case 'int64':
        return fields.integer();
      case 'fixed64':
      case 'sfixed64':
        return Number(fields[type]());
      default:
        return fields[type]();
    }
  }
}

/**
 * Decodes an `ExportMetricsServiceRequest` into the object that it is in JSON.
 * Source: https://github.com/open-telemetry/opentelemetry-proto, metrics/v1/metrics.proto
 * @throws UnreadableBody
 */
export const decodeMetricsRequest = (bytes: Uint8Array): unknown =>
  requireProtobuf('an ExportMetricsServiceRequest', () => new Decoder(bytes).decode(request, bytes.length));
