import type { Duplex } from 'node:stream';

/** The first byte of a packet (MQTT 5, 2.1). */
const FIRST_BYTES = { puback: 0x40, pubrec: 0x50, pubrel: 0x62, pubcomp: 0x70 };
/** Acknowledgements of 256 messages. */
const ACKNOWLEDGEMENT_BYTES = 1_024;
/** A client that reads nothing in this time, although packets wait for it, is disconnected. */
const STALL_MS = 30_000;

/** Writes to a client. A client that does not read is disconnected. `onDrain`: the client has read all packets. */
export const createPacketWriter = (stream: Duplex, onDrain: () => void, stallMs = STALL_MS) => {
  let stall: NodeJS.Timeout | undefined;
  let written = 0;
  let isFlushing = false;
  /** Acknowledgements to write with the next packet, or at the end of the turn of the event loop. */
  let acknowledgements = Buffer.allocUnsafe(0);
  let acknowledged = 0;

  const watchStall = (readBefore: number): void => {
    stall = setTimeout(() => {
      const read = written - stream.writableLength;
      if (read > readBefore) watchStall(read);
      else stream.destroy(new Error('The client does not read.'));
    }, stallMs);
    stall.unref();
  };

  const writeNow = (bytes: Uint8Array): void => {
    if (!stream.writable) return;
    written += bytes.length;
    if (!stream.write(bytes) && stall === undefined) {
      watchStall(written - stream.writableLength);
      stream.once('drain', () => {
        clearTimeout(stall);
        stall = undefined;
        onDrain();
      });
    }
  };

  const flush = (): void => {
    isFlushing = false;
    if (acknowledged === 0) return;
    writeNow(acknowledgements.subarray(0, acknowledged));
    acknowledgements = Buffer.allocUnsafe(0);
    acknowledged = 0;
  };

  /** Messages that are stored together are acknowledged with one write. */
  const acknowledge = (cmd: keyof typeof FIRST_BYTES, messageId: number): void => {
    if (acknowledged === acknowledgements.length) {
      flush();
      acknowledgements = Buffer.allocUnsafe(ACKNOWLEDGEMENT_BYTES);
    }
    acknowledgements[acknowledged] = FIRST_BYTES[cmd];
    acknowledgements[acknowledged + 1] = 2;
    acknowledgements.writeUInt16BE(messageId, acknowledged + 2);
    acknowledged += 4;
    if (isFlushing) return;
    isFlushing = true;
    process.nextTick(flush);
  };

  return {
    acknowledge,
    flush,
    write: (bytes: Uint8Array): void => {
      flush();
      writeNow(bytes);
    },
    close: (): void => clearTimeout(stall),
  };
};
