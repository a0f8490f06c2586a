import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort } from './free-port.ts';
import { rawClient } from './mqtt-raw-client.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let port: number;
let reader: string;
let writer: string;
let aheadMs = 0;
const clients: MqttClient[] = [];

beforeAll(async () => {
  port = await freePort();
  service = await startTestService({
    env: { MQTT_PORT: String(port) },
    now: () => Date.now() + aheadMs,
    elapsed: () => performance.now() + aheadMs,
  });
  ({ secret: writer } = await service.mintKey(['telemetry:write']));
  ({ secret: reader } = await service.mintKey(['telemetry:write', 'telemetry:read']));
});
afterAll(() => service.close());
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
});

type Connected = { client: MqttClient; isPresent: boolean; messages: [string, string][] };

/** A client that keeps its session. `messages`: those that arrive, with their topics. */
const connect = async (name: string, options: IClientOptions = {}): Promise<Connected> => {
  const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
    reconnectPeriod: 0,
    clean: false,
    clientId: name,
    username: name,
    password: writer,
    ...options,
  });
  clients.push(client);
  client.on('error', () => undefined);
  const messages: [string, string][] = [];
  client.on('message', (topic, payload) => messages.push([topic, String(payload)]));
  const { sessionPresent } = await new Promise<{ sessionPresent: boolean }>((resolve, reject) => {
    client.once('connect', resolve);
    client.once('error', reject);
  });
  return { client, isPresent: sessionPresent, messages };
};
const v5 = (sessionExpiryInterval: number): IClientOptions => ({
  protocolVersion: 5,
  properties: { sessionExpiryInterval },
});
const publish = async (topic: string, payload: string, options: mqtt.IClientPublishOptions = { qos: 1 }) => {
  const { client } = await connect('console', { clean: true, password: reader });
  await client.publishAsync(topic, payload, options);
  await client.endAsync();
};
const received = ({ messages }: Connected) => expect.poll(() => messages);

test.each([
  ['3.1.1', {}],
  ['5', v5(600)],
])('a message for a device that is away arrives after a restart (MQTT %s)', async (version, options) => {
  const name = `valve-${version}`;
  const first = await connect(name, options);
  expect(first.isPresent).toBe(false);
  await first.client.subscribeAsync('v1/devices/me/commands', { qos: 1 });
  await first.client.endAsync();
  await publish(`v1/devices/${name}/commands`, 'open');
  await service.restart();
  await publish(`v1/devices/${name}/commands`, 'close');

  const second = await connect(name, options);
  expect(second.isPresent).toBe(true);
  await received(second).toEqual([
    ['v1/devices/me/commands', 'open'],
    ['v1/devices/me/commands', 'close'],
  ]);
  await second.client.endAsync();
  await service.restart();
  const third = await connect(name, options);
  expect(third.isPresent).toBe(true);
  await publish(`v1/devices/${name}/commands`, 'last');
  await received(third).toEqual([['v1/devices/me/commands', 'last']]);
});

test('a clean start ends the session and its messages', async () => {
  const { client } = await connect('fresh');
  await client.subscribeAsync('v1/devices/me/#', { qos: 1 });
  await client.endAsync();
  await publish('v1/devices/fresh/commands', 'old');
  const { client: clean, isPresent } = await connect('fresh', { clean: true });
  expect(isPresent).toBe(false);
  await clean.endAsync();
  expect(await connect('fresh')).toMatchObject({ isPresent: false, messages: [] });
});

test('a session and a message end when they expire', async () => {
  const subscribe = async (name: string, seconds: number) => {
    const { client } = await connect(name, v5(seconds));
    await client.subscribeAsync('v1/devices/me/commands', { qos: 1 });
    await client.endAsync();
  };
  await subscribe('short', 60);
  await subscribe('long', 600);
  const expiring = { protocolVersion: 5 as const, clean: true, password: reader };
  const { client } = await connect('console-5', expiring);
  await client.publishAsync('v1/devices/long/commands', 'expired', {
    qos: 1,
    properties: { messageExpiryInterval: 30 },
  });
  await publish('v1/devices/long/commands', 'kept');
  aheadMs = 100_000;
  onTestFinished(() => void (aheadMs = 0));
  expect(await connect('short', v5(60))).toMatchObject({ isPresent: false });
  const long = await connect('long', v5(600));
  expect(long.isPresent).toBe(true);
  await received(long).toEqual([['v1/devices/me/commands', 'kept']]);
});

test('an expiry interval above the limit is shortened, and CONNACK states the interval', async () => {
  const client = await rawClient(port);
  const answer = await client.connect({
    username: 'raw',
    password: Buffer.from(writer),
    properties: { sessionExpiryInterval: 0xffffffff },
  });
  expect(answer).toMatchObject({ properties: { sessionExpiryInterval: 604_800 } });
});

test('a session resumed with a weaker key keeps only the subscriptions of that key', async () => {
  const { client } = await connect('demoted', { password: reader });
  await client.subscribeAsync(['secret/#', 'v1/devices/me/commands'], { qos: 1 });
  await client.endAsync();
  await publish('secret/plan', 'x');
  await publish('v1/devices/demoted/commands', 'y');
  const demoted = await connect('demoted');
  expect(demoted.isPresent).toBe(true);
  await publish('secret/plan', 'x');
  await publish('v1/devices/demoted/commands', 'z');
  await received(demoted).toEqual([
    ['v1/devices/me/commands', 'y'],
    ['v1/devices/me/commands', 'z'],
  ]);
});

test('QoS 2 messages to a client continue where they stopped, also after a restart', async () => {
  const open = async () => {
    const client = await rawClient(port, 4);
    await client.connect({
      clientId: 'exact',
      clean: false,
      username: 'exact',
      password: Buffer.from(writer),
    });
    return client;
  };
  const first = await open();
  first.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'v1/devices/me/c', qos: 2 }] });
  expect(await first.next()).toMatchObject({ granted: [2] });
  await publish('v1/devices/exact/c', 'one', { qos: 2 });
  await publish('v1/devices/exact/c', 'two', { qos: 2 });
  expect(await first.next()).toMatchObject({ cmd: 'publish', messageId: 1, qos: 2, dup: false });
  expect(await first.next()).toMatchObject({ cmd: 'publish', messageId: 2 });
  first.send({ cmd: 'pubrec', messageId: 1 });
  expect(await first.next()).toMatchObject({ cmd: 'pubrel', messageId: 1 });
  first.socket.destroy();
  const second = await open();
  expect([await second.next(), await second.next()]).toMatchObject([
    { cmd: 'pubrel', messageId: 1 },
    { cmd: 'publish', messageId: 2, dup: true },
  ]);
  second.socket.destroy();
  await service.restart();
  const third = await open();
  expect([await third.next(), await third.next()]).toMatchObject([
    { cmd: 'pubrel', messageId: 1 },
    { cmd: 'publish', messageId: 2 },
  ]);
  third.send({ cmd: 'pubcomp', messageId: 1 });
  third.socket.destroy();
});

test('a QoS 2 message repeated after a restart is accepted once', async () => {
  const open = async () => {
    const client = await rawClient(port, 4);
    await client.connect({
      clientId: 'once',
      clean: false,
      username: 'once',
      password: Buffer.from(writer),
    });
    return client;
  };
  const message = {
    cmd: 'publish',
    topic: 'exactly/up',
    payload: 'x',
    qos: 2,
    messageId: 9,
    retain: false,
  } as const;
  const first = await open();
  first.send({ ...message, dup: false });
  expect(await first.next()).toMatchObject({ cmd: 'pubrec', messageId: 9 });
  await service.restart();
  const second = await open();
  second.send({ ...message, dup: true });
  expect(await second.next()).toMatchObject({ cmd: 'pubrec', messageId: 9 });
  second.send({ cmd: 'pubrel', messageId: 9 });
  expect(await second.next()).toMatchObject({ cmd: 'pubcomp', messageId: 9 });
  const { body } = await service.request('GET', '/v1/unrouted?q=exactly');
  expect(body.data).toMatchObject([{ messages: 1 }]);
});

test('retained messages survive a restart, and cleared ones do not', async () => {
  await publish('kept/one', 'on', { qos: 1, retain: true });
  await publish('kept/two', 'off', { qos: 1, retain: true });
  await publish('kept/two', '', { qos: 1, retain: true });
  await service.restart();
  const listener = await connect('wall', { clean: true, password: reader });
  await listener.client.subscribeAsync('kept/#', { qos: 1 });
  await publish('kept/end', 'end');
  await received(listener).toEqual([
    ['kept/one', 'on'],
    ['kept/end', 'end'],
  ]);
});

test('a damaged file of sessions is renamed, and DISCONNECT says that the service stops', async () => {
  const client = await rawClient(port);
  await client.connect({ username: 'raw', password: Buffer.from(writer) });
  const file = join(service.dataDir, 'mqtt.db');
  await service.restart(() => writeFileSync(file, 'not a database, '.repeat(1_000)));
  expect(existsSync(`${file}.damaged`)).toBe(true);
  expect(await client.next()).toMatchObject({ cmd: 'disconnect', reasonCode: 0x8b });
  expect(await connect('after')).toMatchObject({ isPresent: false });
});
