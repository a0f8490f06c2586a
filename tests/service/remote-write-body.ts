import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { compress } from 'snappyjs';

/** A series of a `prometheus.WriteRequest`: its labels, and its samples as value and epoch ms. */
export type Series = {
  labels: Record<string, string> | readonly (readonly [string, string])[];
  samples: readonly (readonly [value: number | bigint, ts: number])[];
  /** Number of native histograms, without content. */
  histograms?: number;
};

const { LengthDelimited, Bit64, Varint } = WireType;

export const writeRequest = (series: readonly Series[]): Uint8Array => {
  const writer = new BinaryWriter();
  for (const { labels, samples, histograms = 0 } of series) {
    writer.tag(1, LengthDelimited).fork();
    const pairs = Array.isArray(labels) ? labels : Object.entries(labels);
    for (const [name, value] of pairs)
      writer
        .tag(1, LengthDelimited)
        .fork()
        .tag(1, LengthDelimited)
        .string(name)
        .tag(2, LengthDelimited)
        .string(value)
        .join();
    for (const [value, ts] of samples) {
      writer.tag(2, LengthDelimited).fork();
      // The bits of a NaN, which a number of JavaScript does not keep.
      if (typeof value === 'bigint') writer.tag(1, Bit64).fixed64(value);
      else writer.tag(1, Bit64).double(value);
      writer.tag(2, Varint).int64(ts).join();
    }
    for (let i = 0; i < histograms; i += 1) writer.tag(4, LengthDelimited).fork().join();
    writer.join();
  }
  return writer.finish();
};

export const snappy = (bytes: Uint8Array): Uint8Array => compress(bytes);
