import type { Socket } from 'node:net';

/** The continuation bit of a remaining length, and how many bytes it has at the most (MQTT 3.1.1, 2.2.3). */
const MORE = 0x80;
const LENGTH_BYTES = 4;

/**
 * Follows the packets in a stream of bytes. Gives false once one of them says that it is longer than `limit()`
 * bytes, before those bytes have come.
 */
export const createPacketGuard = (limit: () => number): ((chunk: Uint8Array) => boolean) => {
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
        if (length > limit() || digits > LENGTH_BYTES) return false;
        if ((byte & MORE) === 0) {
          rest = length;
          digits = -1;
        }
      }
    }
    return true;
  };
};

/** Destroys a connection that begins a packet longer than `limit()`; nothing of it is kept in memory. */
export const guardPackets = (socket: Socket, limit: () => number): void => {
  const isGood = createPacketGuard(limit);
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (!(chunk instanceof Uint8Array) || isGood(chunk)) return chunk;
    socket.destroy(new Error('packet too large'));
    return null;
  };
};
