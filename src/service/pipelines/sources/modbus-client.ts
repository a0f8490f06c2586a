import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { OutboundFailure } from '../../platform/outbound/outbound-failure.ts';

/** Descriptions of exception codes (Modbus Application Protocol 1.1b3, 7). */
const exceptions: Record<number, string> = {
  1: 'the device does not support this function (illegal function)',
  2: 'the device has no register at this address (illegal data address)',
  3: 'the device rejects the length of the request (illegal data value)',
  4: 'the device failed while reading (server device failure)',
  5: 'the device needs more time (acknowledge)',
  6: 'the device is busy (server device busy)',
  8: 'the device reports damaged memory (memory parity error)',
  10: 'the gateway has no path to the unit (gateway path unavailable)',
  11: 'the unit behind the gateway does not answer (gateway target device failed to respond)',
};
/** Codes that concern the request and not the whole device. */
const OF_THE_REQUEST = new Set([1, 2, 3, 4]);

export class ModbusException extends Error {
  override readonly name = 'ModbusException';
  readonly isOfRequest: boolean;
  readonly isIllegalAddress: boolean;

  constructor(code: number) {
    super(exceptions[code] ?? `the device rejects the request (exception ${code})`);
    this.isOfRequest = OF_THE_REQUEST.has(code);
    this.isIllegalAddress = code === 2;
  }
}

export const functionOf = { coil: 1, discrete: 2, holding: 3, input: 4 } as const;
export type RegisterKind = keyof typeof functionOf;

const HEADER_BYTES = 7;
/** Header, function, byte count and 125 registers. */
const MAX_FRAME_BYTES = 260;
/** No response is larger than this. */
const MAX_BUFFERED_BYTES = 65_536;

export type ModbusClient = {
  readonly isOpen: boolean;
  /**
   * Reads `count` registers (2 bytes each) or bits (8 per byte) starting at `address`. One request at a time.
   * @throws ModbusException, OutboundFailure if there is no response
   */
  read(request: { kind: RegisterKind; address: number; count: number }, signal: AbortSignal): Promise<Buffer>;
  close(): void;
};

/**
 * A client for reading over Modbus TCP (Modbus Messaging on TCP/IP 1.0b). Decision 21 explains why it is not a package.
 */
export const createModbusClient = (
  socket: Socket,
  { unit, host, timeoutMs }: { unit: number; host: string; timeoutMs: number },
): ModbusClient => {
  let transaction = 0;
  let buffered = Buffer.alloc(0);
  const changes = new EventEmitter();
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    if (buffered.length > MAX_BUFFERED_BYTES) socket.destroy();
    changes.emit('change');
  });
  for (const end of ['end', 'close']) socket.on(end, () => changes.emit('change'));
  const foreign = () => new OutboundFailure(`The server at ${host} does not speak Modbus.`);

  const frameOf = (id: number): Buffer | undefined => {
    while (buffered.length >= HEADER_BYTES) {
      const end = 6 + buffered.readUInt16BE(4);
      if (buffered.readUInt16BE(2) !== 0 || end < HEADER_BYTES + 2 || end > MAX_FRAME_BYTES) throw foreign();
      if (buffered.length < end) return undefined;
      const frame = buffered.subarray(0, end);
      buffered = buffered.subarray(end);
      // Skips a response to a request that was given up.
      if (frame.readUInt16BE(0) === id) return frame.subarray(HEADER_BYTES);
    }
    return undefined;
  };

  const answerTo = async (id: number, signal: AbortSignal): Promise<Buffer> => {
    for (;;) {
      const frame = frameOf(id);
      if (frame !== undefined) return frame;
      if (socket.destroyed || socket.readableEnded)
        throw new OutboundFailure(`${host} closed the connection.`);
      await once(changes, 'change', { signal });
    }
  };

  return {
    get isOpen() {
      return !socket.destroyed && !socket.readableEnded;
    },
    read: async ({ kind, address, count }, signal) => {
      transaction = (transaction + 1) % 65_536;
      const request = Buffer.alloc(12);
      request.writeUInt16BE(transaction, 0);
      request.writeUInt16BE(6, 4);
      request.writeUInt8(unit, 6);
      request.writeUInt8(functionOf[kind], 7);
      request.writeUInt16BE(address, 8);
      request.writeUInt16BE(count, 10);
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        socket.write(request);
        const answer = await answerTo(transaction, AbortSignal.any([signal, timeout]));
        if (answer[0] === (functionOf[kind] | 0x80)) throw new ModbusException(answer[1] ?? 0);
        const length = kind === 'coil' || kind === 'discrete' ? Math.ceil(count / 8) : count * 2;
        if (answer[0] !== functionOf[kind] || answer[1] !== length || answer.length !== length + 2)
          throw foreign();
        return answer.subarray(2);
      } catch (error) {
        if (error instanceof ModbusException) throw error;
        socket.destroy();
        if (timeout.aborted)
          throw new OutboundFailure(`${host} did not answer within ${timeoutMs / 1_000} s.`, {
            cause: error,
          });
        throw error;
      }
    },
    close: () => {
      socket.destroy();
    },
  };
};
