import { connect, createServer, type AddressInfo } from 'node:net';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createMqttServer } from '#service/mqtt/protocol/mqtt-server.ts';
import {
  answers,
  CONNECT,
  connectPacket,
  packetReader,
  PUBACK,
  PUBLISH_QOS_1,
  SUBACK,
  subscribePacket,
} from './mqtt-packets.ts';

const listenWith = (server: ReturnType<typeof createServer>): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

/** The offset of the message ID in a PUBLISH: after the topic. */
const messageIdAt = (bytes: Buffer, at: number): number => at + 2 + bytes.readUInt16BE(at);

/** Acknowledges each PUBLISH and discards it, to measure the limit of the client. */
export const startTrivialSink = (): Promise<number> =>
  listenWith(
    createServer({ noDelay: true }, (socket) => {
      const waiting = answers();
      const read = packetReader((header, bytes, at) => {
        if (header === CONNECT) socket.write(Buffer.from([0x20, 2, 0, 0]));
        if (header !== PUBLISH_QOS_1) return;
        const id = messageIdAt(bytes, at);
        waiting.add(PUBACK, bytes[id]!, bytes[id + 1]!);
      });
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        read(chunk);
        const acknowledgements = waiting.take();
        if (acknowledgements.length > 0) socket.write(acknowledgements);
      });
    }),
  );

/** The protocol of the embedded broker without the service. */
export const startBareBroker = (): Promise<number> => {
  const broker = createMqttServer({
    dataDir: mkdtempSync(join(tmpdir(), 'penstock-bench-')),
    disk: { requireWritable: () => undefined, reportError: (error) => error },
    log: pino({ level: 'silent' }),
    now: Date.now,
    handshakeMs: 10_000,
    reasonCodeOf: () => 0x80,
    onDropped: () => undefined,
  });
  const grant = {
    owner: '',
    maxSessions: Number.POSITIVE_INFINITY,
    resolve: (topic: string) => topic,
    canReceive: () => true,
    accept: () => ({ stored: Promise.resolve(), forward: undefined }),
    closed: () => undefined,
  };
  return listenWith(
    createServer({ noDelay: true }, (socket) =>
      broker.serve(socket, {
        authenticate: async () => grant,
        onTooLarge: () => undefined,
        onUnsupportedVersion: () => undefined,
        onClosed: () => undefined,
      }),
    ),
  );
};

/** Subscribes to everything with QoS 1 and acknowledges each message. Returns a function that counts them. */
export const startSubscriber = async (port: number): Promise<() => number> => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.write(connectPacket('bench-subscriber'));
  socket.write(subscribePacket());
  const waiting = answers();
  let count = 0;
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    const read = packetReader((header, bytes, at) => {
      if (header === SUBACK) resolve();
      if (header !== PUBLISH_QOS_1) return;
      const id = messageIdAt(bytes, at);
      waiting.add(PUBACK, bytes[id]!, bytes[id + 1]!);
      count += 1;
    });
    socket.on('data', (chunk: Buffer) => {
      read(chunk);
      const acknowledgements = waiting.take();
      if (acknowledgements.length > 0) socket.write(acknowledgements);
    });
  });
  return () => count;
};
