import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { serveConnection } from '#service/mqtt/protocol/client-connection.ts';
import type { Grant } from '#service/mqtt/protocol/client-grant.ts';
import { createMqttServer } from '#service/mqtt/protocol/mqtt-server.ts';
import type { Message } from '#service/mqtt/protocol/mqtt-message.ts';
import { memoryStore } from '#service/mqtt/protocol/mqtt-store.ts';
import { createPacketWriter } from '#service/mqtt/protocol/packet-writer.ts';
import { createSessions } from '#service/mqtt/protocol/sessions.ts';
import { createTurns } from '#service/mqtt/protocol/turns.ts';
import { freePort } from './free-port.ts';
import { rawClient } from './mqtt-raw-client.ts';
import { startTestService } from './start-test-service.ts';

/** The protocol of the broker, with messages that the test stores. The user name is the owner of the sessions. */
const startBroker = async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'penstock-mqtt-'));
  const accepted: { message: Message; store: () => void; fail: (error: Error) => void }[] = [];
  const dropped: string[] = [];
  const broker = createMqttServer({
    dataDir,
    disk: { requireWritable: () => undefined, reportError: (error) => error },
    log: pino({ level: 'silent' }),
    now: Date.now,
    handshakeMs: 10_000,
    reasonCodeOf: () => 0x80,
    onDropped: (username) => dropped.push(username),
  });
  const server = createServer((socket) =>
    broker.serve(socket, {
      authenticate: async ({ username }) => ({
        owner: username,
        maxSessions: Number.POSITIVE_INFINITY,
        resolve: (topic) => topic,
        canReceive: () => true,
        accept: (message) => {
          const { promise, resolve, reject } = Promise.withResolvers<void>();
          accepted.push({ message, store: resolve, fail: reject });
          return { stored: promise, forward: undefined };
        },
        closed: () => undefined,
      }),
      onTooLarge: () => undefined,
      onUnsupportedVersion: () => undefined,
      onClosed: () => undefined,
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(async () => {
    server.close();
    await broker.close();
    rmSync(dataDir, { recursive: true });
  });
  const open = async (
    username: string,
    {
      clientId = username,
      version = 5,
      properties = { sessionExpiryInterval: 60 },
    }: { clientId?: string; version?: 4 | 5; properties?: object } = {},
  ) => {
    const client = await rawClient(port, version);
    onTestFinished(() => void client.socket.destroy());
    const login = { username, password: Buffer.from('x'), clientId, clean: false };
    const connack = await client.connect({ ...login, ...(version === 5 && { properties }) });
    return { ...client, connack };
  };
  return { broker, accepted, dropped, open };
};
const exactlyOnce = (messageId: number, dup = false) =>
  ({ cmd: 'publish', topic: 't', payload: 'x', qos: 2, messageId, dup, retain: false }) as const;

test.each([5, 4] as const)(
  'a QoS 2 message that is sent again on a new connection while it is stored is stored once (MQTT version %i)',
  async (version) => {
    const { accepted, open } = await startBroker();
    const first = await open('meter', { version });
    first.send(exactlyOnce(7));
    await expect.poll(() => accepted).toHaveLength(1);
    first.socket.destroy();
    const second = await open('meter', { version });
    expect(second.connack).toMatchObject({ sessionPresent: true });
    second.send(exactlyOnce(7, true));
    second.send({ cmd: 'pingreq' });
    expect(await second.next()).toMatchObject({ cmd: 'pingresp' });
    accepted[0]!.store();
    expect(await second.next()).toMatchObject({ cmd: 'pubrec', messageId: 7 });
    expect(accepted).toHaveLength(1);
  },
);

test('a QoS 2 message that could not be stored on the first connection is stored on the next one', async () => {
  const { accepted, open } = await startBroker();
  const first = await open('meter');
  first.send(exactlyOnce(7));
  first.send(exactlyOnce(8));
  await expect.poll(() => accepted).toHaveLength(2);
  first.socket.destroy();
  const second = await open('meter');
  second.send(exactlyOnce(7, true));
  second.send(exactlyOnce(8, true));
  second.send({ cmd: 'pingreq' });
  expect(await second.next()).toMatchObject({ cmd: 'pingresp' });
  accepted[0]!.fail(new Error('The disk failed.'));
  await expect.poll(() => accepted).toHaveLength(4);
  for (const { store } of accepted.slice(2)) store();
  expect(await second.next()).toMatchObject({ cmd: 'pubrec', messageId: 7 });
  expect(await second.next()).toMatchObject({ cmd: 'pubrec', messageId: 8 });
});

test('a text that is not UTF-8 ends the connection, and the replacement character does not', async () => {
  const { accepted, open } = await startBroker();
  const publish = (topic: Buffer, payload = Buffer.from('x')): Buffer =>
    Buffer.concat([
      Buffer.from([0x30, 2 + topic.length + 1 + payload.length, 0, topic.length]),
      topic,
      Buffer.from([0]),
      payload,
    ]);
  const whole = await open('whole');
  whole.send(publish(Buffer.from('a/\uFFFD')));
  await expect.poll(() => accepted[0]?.message.topic).toBe('a/\uFFFD');
  for (const bytes of [
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0x61, 0xff],
  ]) {
    const client = await open('broken');
    // A payload may have any bytes, also those of the replacement character.
    client.send(publish(Buffer.from(bytes), Buffer.from('\uFFFD')));
    expect(await client.next()).toMatchObject({ cmd: 'disconnect', reasonCode: 0x81 });
  }
  const subscriber = await open('subscriber');
  subscriber.send(Buffer.from([0x82, 8, 0, 1, 0, 0, 2, 0x61, 0xff, 0]));
  expect(await subscriber.next()).toMatchObject({ cmd: 'disconnect', reasonCode: 0x81 });
  expect(accepted).toHaveLength(1);
});

test('the queues of one owner leave room for those of others', async () => {
  const { broker, dropped, open } = await startBroker();
  const subscribe = async (username: string, clientId: string) => {
    // Queues all messages but one.
    const client = await open(username, { clientId, properties: { receiveMaximum: 1 } });
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: username, qos: 1 }] });
    expect(await client.next()).toMatchObject({ cmd: 'suback' });
  };
  for (const clientId of ['1', '2', '3', '4', '5']) await subscribe('a', clientId);
  await subscribe('b', '1');
  const payload = Buffer.alloc(1_048_576);
  const publish = (topic: string) => broker.publish({ topic, payload, qos: 1, retain: false });
  for (let i = 0; i < 15; i += 1) publish('a');
  expect(dropped).toContain('a');
  for (let i = 0; i < 15; i += 1) publish('b');
  expect(dropped).not.toContain('b');
});

test('while the disk is slow, a client cannot queue answers without limit, and gets all of them afterwards', async () => {
  const PACKETS = 5_000;
  const sessions = createSessions({ store: memoryStore(), now: Date.now, onDropped: () => undefined });
  const disk = Promise.withResolvers<void>();
  let written = Promise.resolve();
  let handled = 0;
  const grant: Grant = {
    owner: 'meter',
    maxSessions: Number.POSITIVE_INFINITY,
    resolve: (topic) => {
      handled += 1;
      return topic;
    },
    canReceive: () => true,
    accept: () => ({ stored: Promise.resolve(), forward: undefined }),
    closed: () => undefined,
  };
  const server = createServer((socket) =>
    serveConnection(socket, {
      sessions,
      turns: createTurns(),
      written: () => written,
      authenticate: async () => grant,
      onTooLarge: () => undefined,
      onUnsupportedVersion: () => undefined,
      onClosed: () => undefined,
      now: Date.now,
      handshakeMs: 120_000,
      reasonCodeOf: () => 0x80,
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const client = await rawClient((server.address() as AddressInfo).port);
  onTestFinished(() => void client.socket.destroy());
  await client.connect({ properties: { sessionExpiryInterval: 60 } });
  written = disk.promise;
  const subscriptions = [{ topic: 'a', qos: 1 }] as const;
  for (let n = 1; n <= PACKETS; n += 1)
    client.send({ cmd: 'subscribe', messageId: n, subscriptions: [...subscriptions] });
  await expect.poll(() => handled).toBe(100);
  disk.resolve();
  for (let n = 1; n <= PACKETS; n += 1)
    expect(await client.next()).toMatchObject({ cmd: 'suback', messageId: n });
});

test('a client that reads slowly stays connected, and one that reads nothing does not', async () => {
  const STALL_MS = 50;
  const callbacks: (() => void)[] = [];
  const slow = new Duplex({
    writableHighWaterMark: 1,
    read: () => undefined,
    write: (_chunk, _encoding, done) => void callbacks.push(done),
  });
  slow.on('error', () => undefined);
  const writer = createPacketWriter(slow, () => undefined, STALL_MS);
  for (let i = 0; i < 20; i += 1) writer.write(Buffer.alloc(10));
  const reads = setInterval(() => callbacks.shift()?.(), STALL_MS / 5);
  onTestFinished(() => clearInterval(reads));
  await expect.poll(() => slow.writableLength).toBeLessThan(100);
  expect(slow.destroyed).toBe(false);
  clearInterval(reads);
  await expect.poll(() => slow.destroyed).toBe(true);
});

test('of many connections without CONNECT, those above the limit are closed at once', async () => {
  const port = await freePort();
  // A busy machine opens them slowly. Those within the limit must not time out meanwhile.
  const service = await startTestService({
    env: { MQTT_PORT: String(port) },
    timeouts: { handshakeMs: 120_000 },
  });
  let closed = 0;
  const sockets = Array.from({ length: 2_100 }, () =>
    connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .once('close', () => (closed += 1))
      .resume(),
  );
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await service.close();
  });
  await expect.poll(() => closed).toBe(100);
});
