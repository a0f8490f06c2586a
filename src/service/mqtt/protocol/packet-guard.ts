/** The continuation bit of the remaining length, and its largest number of bytes (MQTT 3.1.1, 2.2.3). */
const MORE = 0x80;
const LENGTH_BYTES = 4;

/** The size of a packet: type and flags, the length field of `lengthBytes` bytes, and the rest. */
const sizeOf = (length: number, lengthBytes: number): number => 1 + lengthBytes + length;

/**
 * Tracks the packets in a stream of bytes. Returns the size of the first packet whose remaining length exceeds
 * `limit()` bytes, before those bytes arrive; Infinity if the length field has more than four bytes; otherwise
 * undefined.
 */
export const createPacketGuard = (limit: () => number): ((chunk: Uint8Array) => number | undefined) => {
  let rest = 0;
  let length = 0;
  let digits = -1;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (rest > 0) {
        const skipped = Math.min(rest, chunk.length - at);
        rest -= skipped;
        at += skipped;
      } else if (digits === -1) {
        digits = 0;
        length = 0;
        at += 1;
      } else {
        const byte = chunk[at] ?? 0;
        at += 1;
        length += (byte & ~MORE) * MORE ** digits;
        digits += 1;
        if (digits > LENGTH_BYTES) return Number.POSITIVE_INFINITY;
        if ((byte & MORE) === 0) {
          if (length > limit()) return sizeOf(length, digits);
          rest = length;
          digits = -1;
        }
      }
    }
    return undefined;
  };
};
