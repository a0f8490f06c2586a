import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate, type Packet } from 'mqtt-packet';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { openMqttStore } from '#service/mqtt/protocol/mqtt-store.ts';
import { StorageFull } from '#service/platform/storage/store-errors.ts';
import { freePort } from './free-port.ts';
import { rawClient } from './mqtt-raw-client.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let port: number;
let reader: string;

beforeAll(async () => {
  port = await freePort();
  service = await startTestService({ env: { MQTT_PORT: String(port) } });
  ({ secret: reader } = await service.mintKey(['telemetry:write', 'telemetry:read']));
});
afterAll(() => service.close());

type Connect = Parameters<Awaited<ReturnType<typeof rawClient>>['connect']>[0];

const open = async (clientId: string, more: Connect = {}) => {
  const client = await rawClient(port);
  onTestFinished(() => void client.socket.destroy());
  const connack = await client.connect({ clientId, username: 'u', password: Buffer.from(reader), ...more });
  return { ...client, connack };
};
const publication = (topic: string, payload: string | Buffer, more: object = {}): Packet => ({
  cmd: 'publish',
  topic,
  payload,
  qos: 1,
  messageId: 1,
  dup: false,
  retain: false,
  ...more,
});
const subscription = (topic: string, messageId = 1): Packet => ({
  cmd: 'subscribe',
  messageId,
  subscriptions: [{ topic, qos: 0 }],
});

test.each([
  ['wildcards', '+', 'v1/devices/me/x'],
  ['a topic of more than 65,535 bytes', 'u'.repeat(15_000), `v1/devices/me/${'x'.repeat(60_000)}`],
])('a user name that makes %s of “me” does not reach subscribers', async (_, username, topic) => {
  const client = await open('namer', { username });
  client.send(publication(topic, 'x', { retain: true }));
  expect(await client.next()).toMatchObject({ cmd: 'puback', reasonCode: 0x90 });
});

test('a client that asks for retained messages and never reads does not fill the memory', async () => {
  const sender = await open('sender');
  for (let n = 1; n <= 20; n++)
    sender.send(publication(`kept/${n}`, Buffer.alloc(200_000), { messageId: n, retain: true }));
  for (let n = 1; n <= 20; n++) await sender.next();
  const before = process.memoryUsage().arrayBuffers;
  const client = await open('greedy');
  client.socket.pause();
  for (let n = 1; n <= 30; n++) client.send(subscription('kept/#', n));
  // Its answer comes after the broker has read the subscriptions.
  for (let n = 1; n <= 20; n++) {
    sender.send({ cmd: 'pingreq' });
    await sender.next();
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40e6);
  client.socket.resume();
  const packets = new Map<string, number>();
  for (let n = 0; n < 30 * 21; n++) {
    const packet = await client.next();
    const kind = packet === 'closed' ? packet : packet.cmd;
    packets.set(kind, (packets.get(kind) ?? 0) + 1);
  }
  expect(Object.fromEntries(packets)).toEqual({ suback: 30, publish: 600 });
});

test('a client with many packets in one WebSocket message does not delay the others', async () => {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/mqtt`, 'mqtt');
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  const bytes = (packet: Packet) => generate(packet, { protocolVersion: 5 });
  socket.send(
    bytes({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 5,
      clientId: 'many',
      username: 'u',
      password: Buffer.from(reader),
      keepalive: 0,
      clean: true,
    }),
  );
  await once(socket, 'message');
  const other = await open('other');
  const order: string[] = [];
  const last = once(socket, 'message').then(() => order.push('many'));
  const one = bytes(publication('tiny', '', { qos: 0 }));
  socket.send(Buffer.concat([...Array.from({ length: 40_000 }, () => one), Buffer.of(0xc0, 0)]));
  for (let n = 0; n < 5; n++) {
    other.send({ cmd: 'pingreq' });
    await other.next();
  }
  order.push('other');
  await last;
  expect(order).toEqual(['other', 'many']);
});

test('a delayed will is not sent if the client was back meanwhile or its key is revoked', async () => {
  const { secret, id } = await service.mintKey(['telemetry:write']);
  const listener = await open('listener');
  listener.send(subscription('wills/#'));
  await listener.next();
  const mortal = (clientId: string, more: Connect = {}) =>
    open(clientId, {
      clean: false,
      properties: { sessionExpiryInterval: 100 },
      will: {
        topic: `wills/${clientId}`,
        payload: Buffer.from('gone'),
        qos: 0,
        retain: false,
        properties: { willDelayInterval: 1 },
      },
      ...more,
    });
  const back = await mortal('back');
  const revoked = await mortal('revoked', { password: Buffer.from(secret) });
  for (const { socket } of [back, revoked]) {
    socket.destroy();
    await new Promise((resolve) => socket.once('close', resolve));
  }
  const again = await mortal('back');
  expect(again.connack).toMatchObject({ sessionPresent: true });
  again.send({ cmd: 'disconnect' });
  await service.request('DELETE', `/v1/api-keys/${id}`);
  (await mortal('gone')).socket.destroy();
  // A clean start ends the session, so its will is due at once.
  (await mortal('ended')).socket.destroy();
  await mortal('ended', { clean: true });
  const topics = [await listener.next(), await listener.next()].map(
    (packet) => packet !== 'closed' && packet.cmd === 'publish' && packet.topic,
  );
  expect(topics).toEqual(['wills/ended', 'wills/gone']);
});

test('revoking a key ends the sessions of its clients, connected or not', async () => {
  const { secret, id } = await service.mintKey(['telemetry:write']);
  const kept = { clean: false, properties: { sessionExpiryInterval: 100 } };
  const own = { ...kept, password: Buffer.from(secret) };
  const [away, connected] = [await open('away', own), await open('connected', own)];
  away.send({ cmd: 'disconnect' });
  expect(await away.next()).toBe('closed');
  await service.restart();
  const again = await open('connected', own);
  expect(again.connack).toMatchObject({ sessionPresent: true });
  await service.request('DELETE', `/v1/api-keys/${id}`);
  expect(await again.next()).toMatchObject({ cmd: 'disconnect', reasonCode: 0x87 });
  for (const clientId of ['away', 'connected'])
    expect((await open(clientId, kept)).connack).toMatchObject({ reasonCode: 0, sessionPresent: false });
  connected.socket.destroy();
});

test('the key of a device keeps a limited number of sessions', async () => {
  const { body } = await service.request('POST', '/v1/devices', {
    body: { name: 'Pump', externalId: 'pump-9' },
  });
  const { secret } = await service.mintKey(['telemetry:write'], { devices: [body.id] });
  const connect = async (n: number) => {
    const { connack, socket } = await open(`session-${n}`, {
      username: 'pump-9',
      password: Buffer.from(secret),
      properties: { sessionExpiryInterval: 100 },
    });
    socket.destroy();
    return connack;
  };
  for (let n = 1; n <= 20; n++)
    expect(await connect(n)).not.toMatchObject({ properties: { sessionExpiryInterval: 0 } });
  expect(await connect(21)).toMatchObject({ reasonCode: 0, properties: { sessionExpiryInterval: 0 } });
});

test('a session that ends and starts again during a write has no old messages, also after a failed write', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'penstock-mqtt-store-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  let isFull = false;
  const disk = {
    requireWritable: () => {
      if (isFull) throw new Error('The disk is full.');
    },
    reportError: (error: unknown) => error,
  };
  const openStore = () => openMqttStore(dataDir, { disk, log: pino({ level: 'silent' }) });
  const session = (id: string) => ({
    id,
    owner: 'key',
    subscriptions: '[]',
    received: '[]',
    expirySeconds: 100,
    expiresAtMs: null,
  });
  const message = (topic: string) => ({
    packetId: 1,
    message: { topic, payload: Buffer.from('x'), qos: 1 as const, retain: false },
    isReleased: false,
  });
  const store = openStore();
  for (const id of ['a', 'b']) {
    store.saveSession(id, () => session(id));
    store.saveMessage(id, 1, message('old'));
  }
  await store.written();
  store.saveSession('a', null);
  store.saveSession('a', () => session('a'));
  await store.written();
  isFull = true;
  store.saveMessage('b', 2, { ...message('waiting'), packetId: 2 });
  await expect(store.written()).rejects.toThrow('The disk is full.');
  store.saveSession('b', null);
  store.saveSession('b', () => session('b'));
  store.saveMessage('b', 3, { ...message('new'), packetId: 3 });
  isFull = false;
  await store.close();
  const loaded = openStore();
  onTestFinished(() => loaded.close());
  expect(loaded.sessions.map(({ id, messages }) => [id, messages.map((each) => each.message.topic)])).toEqual(
    [
      ['a', []],
      ['b', ['new']],
    ],
  );
});

test('with a full disk, a clean start is refused with a reason and a retained message is not acknowledged', async () => {
  const fresh = { clean: true, properties: { sessionExpiryInterval: 100 } };
  const before = await open('full', fresh);
  before.send(subscription('full'));
  expect(await before.next()).toMatchObject({ cmd: 'suback' });
  const { disk } = service.service.parts;
  const full = vi.spyOn(disk, 'requireWritable').mockImplementation(() => {
    throw new StorageFull('The disk is full.');
  });
  onTestFinished(() => full.mockRestore());
  expect((await open('full', fresh)).connack).toMatchObject({ cmd: 'connack', reasonCode: 0x97 });
  const sender = await open('full-sender');
  sender.send(publication('full', '', { retain: true }));
  expect(await sender.next()).toMatchObject({ cmd: 'puback', reasonCode: 0 });
  sender.send(publication('full', 'x', { retain: true, messageId: 2 }));
  expect(await sender.next()).toMatchObject({ cmd: 'disconnect', reasonCode: 0x97 });
  full.mockRestore();
  await expect.poll(async () => (await open('full', fresh)).connack).toMatchObject({ reasonCode: 0 });
});
