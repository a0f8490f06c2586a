import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** A metric of Sparkplug B as its schema names it. `value`: its field and the value. */
type Metric = {
  name?: string;
  alias?: number;
  datatype?: number;
  timestamp?: number;
  isNull?: true;
  unit?: string;
  int?: number;
  long?: bigint;
  float?: number;
  double?: number;
  bool?: boolean;
  text?: string;
  bytes?: Uint8Array;
};

const encodeUnit = (unit: string): Uint8Array => {
  const value = new BinaryWriter()
    .tag(1, WireType.Varint)
    .uint32(12)
    .tag(8, WireType.LengthDelimited)
    .string(unit);
  return new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .string('engUnit')
    .tag(2, WireType.LengthDelimited)
    .bytes(value.finish())
    .finish();
};

const encodeMetric = (metric: Metric): Uint8Array => {
  const { name, alias, datatype, timestamp, isNull, unit, int, long, float, double, bool, text, bytes } =
    metric;
  const writer = new BinaryWriter();
  if (name !== undefined) writer.tag(1, WireType.LengthDelimited).string(name);
  if (alias !== undefined) writer.tag(2, WireType.Varint).uint64(alias);
  if (timestamp !== undefined) writer.tag(3, WireType.Varint).uint64(timestamp);
  if (datatype !== undefined) writer.tag(4, WireType.Varint).uint32(datatype);
  if (isNull !== undefined) writer.tag(7, WireType.Varint).bool(isNull);
  if (unit !== undefined) writer.tag(9, WireType.LengthDelimited).bytes(encodeUnit(unit));
  if (int !== undefined) writer.tag(10, WireType.Varint).uint32(int);
  if (long !== undefined) writer.tag(11, WireType.Varint).uint64(long);
  if (float !== undefined) writer.tag(12, WireType.Bit32).float(float);
  if (double !== undefined) writer.tag(13, WireType.Bit64).double(double);
  if (bool !== undefined) writer.tag(14, WireType.Varint).bool(bool);
  if (text !== undefined) writer.tag(15, WireType.LengthDelimited).string(text);
  if (bytes !== undefined) writer.tag(16, WireType.LengthDelimited).bytes(bytes);
  return writer.finish();
};

/** A payload of Sparkplug B, encoded by its schema (specification 3.0, 15.2). */
export const sparkplugPayload = (
  metrics: readonly Metric[],
  { seq, ts }: { seq?: number; ts?: number } = {},
) => {
  const writer = new BinaryWriter();
  if (ts !== undefined) writer.tag(1, WireType.Varint).uint64(ts);
  for (const metric of metrics) writer.tag(2, WireType.LengthDelimited).bytes(encodeMetric(metric));
  if (seq !== undefined) writer.tag(3, WireType.Varint).uint64(seq);
  return Buffer.from(writer.finish());
};
