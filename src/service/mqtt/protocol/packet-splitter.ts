/** The continuation bit of the remaining length, and its largest number of bytes (MQTT 3.1.1, 2.2.3). */
const MORE = 0x80;
const LENGTH_BYTES = 4;

/** A packet that is larger than its limit. `bytes`: its size; Infinity if its length field is endless. */
export class PacketTooLarge extends Error {
  override readonly name = 'PacketTooLarge';
  readonly bytes: number;
  readonly limit: number;

  constructor(bytes: number, limit: number) {
    super(`The packet has ${bytes} bytes. The limit is ${limit} bytes.`);
    this.bytes = bytes;
    this.limit = limit;
  }
}

/**
 * Splits a stream of bytes into packets, so that a packet in thousands of chunks costs no more than one in a single chunk.
 * `limitOf`: the size limit of a packet without its fixed header, by its first byte.
 */
export const createPacketSplitter = (limitOf: (firstByte: number) => number) => {
  let chunks: Buffer[] = [];
  let at = 0;
  /** The packet that the chunks so far do not complete. */
  let partial: { readonly bytes: Buffer; filled: number } | undefined;

  /** The size of the packet at this position; undefined if its fixed header is incomplete. */
  const sizeAt = (chunk: Buffer): number | undefined => {
    let length = 0;
    for (let digit = 0; at + 1 + digit < chunk.length; digit++) {
      if (digit === LENGTH_BYTES) throw new PacketTooLarge(Number.POSITIVE_INFINITY, 0);
      const byte = chunk[at + 1 + digit]!;
      length += (byte & ~MORE) * MORE ** digit;
      if ((byte & MORE) !== 0) continue;
      const limit = limitOf(chunk[at]!);
      if (length > limit) throw new PacketTooLarge(2 + digit + length, limit);
      return 2 + digit + length;
    }
    return undefined;
  };

  const takeFrom = (chunk: Buffer): Buffer | undefined => {
    if (partial !== undefined) {
      const copied = chunk.copy(partial.bytes, partial.filled, at);
      partial.filled += copied;
      at += copied;
      if (partial.filled < partial.bytes.length) return undefined;
      const { bytes } = partial;
      partial = undefined;
      return bytes;
    }
    const size = sizeAt(chunk);
    if (size === undefined) return undefined;
    if (at + size > chunk.length) {
      partial = { bytes: Buffer.allocUnsafe(size), filled: 0 };
      return takeFrom(chunk);
    }
    at += size;
    return chunk.subarray(at - size, at);
  };

  return {
    push: (chunk: Buffer): void => void chunks.push(chunk),
    /** The next whole packet; undefined: more bytes are needed. @throws PacketTooLarge before the bytes of the packet arrive */
    take: (): Buffer | undefined => {
      for (let chunk = chunks[0]; chunk !== undefined; chunk = chunks[0]) {
        if (at < chunk.length) {
          const packet = takeFrom(chunk);
          if (packet !== undefined) return packet;
        }
        const rest = chunk.subarray(at);
        const following = chunks[1];
        if (rest.length > 0 && following === undefined) return undefined;
        // The fixed header continues in the next chunk.
        chunks =
          rest.length === 0 ? chunks.slice(1) : [Buffer.concat([rest, following!]), ...chunks.slice(2)];
        at = 0;
      }
      return undefined;
    },
  };
};
