import { BinaryReader } from '@bufbuild/protobuf/wire';
import { uncompress } from 'snappyjs';
import { UnreadableBody } from './unreadable-body.ts';

/** A copy of 64 bytes takes 3 bytes. */
const MAX_RATIO = 22;

const NOT_SNAPPY =
  'The body cannot be decompressed. Compress it with Snappy in its block format, without framing.';

/**
 * The size after decompression, in bytes, which a body begins with. Decompression never gives more.
 * Source: https://github.com/google/snappy/blob/main/format_description.txt
 * @throws UnreadableBody
 */
export const uncompressedSize = (bytes: Uint8Array): number => {
  let size = Infinity;
  try {
    size = new BinaryReader(bytes).uint32();
  } catch {
    // Not a varint.
  }
  if (size > MAX_RATIO * bytes.length) throw new UnreadableBody('malformed-body', NOT_SNAPPY);
  return size;
};

/** @throws UnreadableBody */
export const uncompressSnappy = (bytes: Uint8Array): Uint8Array => {
  try {
    return uncompress(bytes);
  } catch {
    throw new UnreadableBody('malformed-body', NOT_SNAPPY);
  }
};
