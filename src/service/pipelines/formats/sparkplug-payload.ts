import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { ProtobufFields } from '../../telemetry/write/protobuf-fields.ts';

/** A metric of a payload. `value`: undefined if there is none, or its type is not supported. */
export type SparkplugMetric = {
  readonly name: string | undefined;
  readonly alias: string | undefined;
  readonly datatype: number | undefined;
  /** Epoch ms. */
  readonly timestamp: number | undefined;
  readonly value: bigint | number | boolean | string | undefined;
  readonly unit: string | undefined;
};

export type SparkplugPayload = {
  /** Epoch ms. */
  readonly timestamp: number | undefined;
  readonly seq: number | undefined;
  readonly metrics: readonly SparkplugMetric[];
};

/** The property with the unit, as Ignition and others name it. */
const UNIT = 'engUnit';

/** Reads the text of a property value. */
const readProperty = (fields: ProtobufFields): string | undefined => {
  const end = fields.enter();
  let text: string | undefined;
  while (fields.next(end))
    if (fields.is(8, WireType.LengthDelimited)) text = fields.string();
    else fields.skipField();
  return text;
};

const readUnit = (fields: ProtobufFields): string | undefined => {
  const end = fields.enter();
  const keys: string[] = [];
  const values: (string | undefined)[] = [];
  while (fields.next(end))
    if (fields.is(1, WireType.LengthDelimited)) keys.push(fields.string());
    else if (fields.is(2, WireType.LengthDelimited)) values.push(readProperty(fields));
    else fields.skipField();
  return values[keys.indexOf(UNIT)] || undefined;
};

const readMetric = (fields: ProtobufFields): SparkplugMetric => {
  const end = fields.enter();
  const metric: { -readonly [K in keyof SparkplugMetric]: SparkplugMetric[K] } = {
    name: undefined,
    alias: undefined,
    datatype: undefined,
    timestamp: undefined,
    value: undefined,
    unit: undefined,
  };
  let isNull = false;
  while (fields.next(end)) {
    if (fields.is(1, WireType.LengthDelimited)) metric.name = fields.string() || undefined;
    else if (fields.is(2, WireType.Varint)) metric.alias = String(fields.uint64());
    else if (fields.is(3, WireType.Varint)) metric.timestamp = fields.integer();
    else if (fields.is(4, WireType.Varint)) metric.datatype = fields.uint32();
    else if (fields.is(7, WireType.Varint)) isNull = fields.bool();
    else if (fields.is(9, WireType.LengthDelimited)) metric.unit = readUnit(fields);
    else if (fields.is(10, WireType.Varint)) metric.value = fields.uint32();
    else if (fields.is(11, WireType.Varint)) metric.value = BigInt(fields.uint64());
    else if (fields.is(12, WireType.Bit32)) metric.value = fields.float();
    else if (fields.is(13, WireType.Bit64)) metric.value = fields.double();
    else if (fields.is(14, WireType.Varint)) metric.value = fields.bool();
    else if (fields.is(15, WireType.LengthDelimited)) metric.value = fields.string();
    else fields.skipField();
  }
  if (isNull) metric.value = undefined;
  return metric;
};

/**
 * Reads a payload of Sparkplug B. Data sets, templates, files, bytes and arrays are not read.
 * Source: https://sparkplug.eclipse.org/specification/version/3.0/ (6.4, and the schema in 15.2)
 * @throws Error if the bytes are not such a payload
 */
export const readSparkplugPayload = (bytes: Uint8Array): SparkplugPayload => {
  const fields = new ProtobufFields(bytes);
  let timestamp: number | undefined;
  let seq: number | undefined;
  const metrics: SparkplugMetric[] = [];
  while (fields.next(bytes.length))
    if (fields.is(1, WireType.Varint)) timestamp = fields.integer();
    else if (fields.is(2, WireType.LengthDelimited)) metrics.push(readMetric(fields));
    else if (fields.is(3, WireType.Varint)) seq = fields.integer();
    else fields.skipField();
  return { timestamp, seq, metrics };
};

/** The command that requests a new birth from an edge node (`group/node`) (6.4.22, Node Control/Rebirth). */
export const rebirthCommand = (node: string, nowMs: number): { topic: string; bytes: Uint8Array } => {
  const [group, name] = node.split('/');
  const metric = new BinaryWriter();
  metric.tag(1, WireType.LengthDelimited).string('Node Control/Rebirth');
  metric.tag(3, WireType.Varint).uint64(nowMs);
  metric.tag(4, WireType.Varint).uint32(BOOLEAN);
  metric.tag(14, WireType.Varint).bool(true);
  const payload = new BinaryWriter();
  payload.tag(1, WireType.Varint).uint64(nowMs);
  payload.tag(2, WireType.LengthDelimited).bytes(metric.finish());
  return { topic: `spBv1.0/${group}/NCMD/${name}`, bytes: payload.finish() };
};

const BOOLEAN = 11;
const SIGN_BITS: Readonly<Record<number, number>> = { 1: 24, 2: 16, 3: 0 };
const INT64 = 4;
const READ_TYPES = 15;

/** The value as a sample. Small signed numbers are in 32 unsigned bits. Null: the type is not supported. */
export const sparkplugValue = (
  value: NonNullable<SparkplugMetric['value']>,
  datatype: number | undefined,
): number | boolean | string | bigint | null => {
  if (datatype === undefined || datatype < 1 || datatype > READ_TYPES) return null;
  if (typeof value === 'bigint') return datatype === INT64 ? BigInt.asIntN(64, value) : value;
  const bits = SIGN_BITS[datatype];
  return bits !== undefined && typeof value === 'number' ? (value << bits) >> bits : value;
};
