import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import type { IConnectPacket, Packet } from 'mqtt-packet';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { StorageFull } from '#service/platform/storage/store-errors.ts';
import { WebSocket as WebSocketWithHeaders } from 'ws';
import { freePort } from './free-port.ts';
import { isInstalled } from './installed.ts';
import { rawClient } from './mqtt-raw-client.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let port: number;
let reader: string;
let writer: string;
const clients: MqttClient[] = [];

beforeAll(async () => {
  port = await freePort();
  service = await startTestService({ env: { MQTT_PORT: String(port) } });
  await service.request('POST', '/v1/pipelines', {
    body: { name: 'MQTT', type: 'mqtt', interval: 5, destination: 'telemetry', config: {} },
  });
  ({ secret: writer } = await service.mintKey(['telemetry:write']));
  ({ secret: reader } = await service.mintKey(['telemetry:write', 'telemetry:read']));
});
afterAll(() => service.close());
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
});

const connect = async (options: IClientOptions = {}, url = `mqtt://127.0.0.1:${port}`) => {
  const client = mqtt.connect(url, {
    protocolVersion: 5,
    reconnectPeriod: 0,
    username: 'wall',
    password: reader,
    ...options,
  });
  clients.push(client);
  client.on('error', () => undefined);
  const connack = await new Promise<Packet & Record<string, unknown>>((resolve, reject) => {
    client.once('connect', (packet) => resolve(packet as never));
    client.once('error', reject);
    client.once('close', () => reject(new Error('closed')));
  });
  return { client, connack };
};
const nextMessage = (client: MqttClient) =>
  new Promise<{ topic: string; text: string; packet: mqtt.IPublishPacket }>((resolve) => {
    client.once('message', (topic, payload, packet) => resolve({ topic, text: String(payload), packet }));
  });
const packet = (value: Packet | 'closed'): Record<string, unknown> => {
  if (value === 'closed') throw new Error('The broker closed the connection.');
  return value as never;
};
const credentials = () => ({ username: 'raw', password: Buffer.from(reader) });
const latest = async (device: string) =>
  (await service.request('GET', `/v1/telemetry/latest?device=${device}`)).body.data.map(
    ({ metric, value }: { metric: string; value: unknown }) => [metric, value],
  );

describe('MQTT 5', () => {
  test('states what the broker supports, and assigns a client ID', async () => {
    const { connack } = await connect({ clientId: '' });
    expect(connack).toMatchObject({
      reasonCode: 0,
      sessionPresent: false,
      properties: {
        assignedClientIdentifier: expect.stringMatching(/^auto-/),
        maximumPacketSize: 262_148,
        receiveMaximum: 1_000,
        sharedSubscriptionAvailable: false,
        topicAliasMaximum: 64,
      },
    });
  });

  test('says why a CONNECT is refused', async () => {
    await expect(connect({ password: 'wrong' })).rejects.toMatchObject({ code: 0x86 });
    const { secret } = await service.mintKey(['telemetry:read']);
    await expect(connect({ password: secret })).rejects.toMatchObject({ code: 0x87 });
    const client = await rawClient(port);
    const answer = await client.connect({ properties: { authenticationMethod: 'SCRAM-SHA-1' } });
    expect(answer).toMatchObject({ cmd: 'connack', reasonCode: 0x8c });
    expect(await client.next()).toBe('closed');
  });

  test('passes properties to subscribers, with the identifiers of their subscriptions', async () => {
    const { client: listener } = await connect();
    await listener.subscribeAsync('plant/#', { qos: 1, properties: { subscriptionIdentifier: 7 } });
    await listener.subscribeAsync('plant/+/state', { qos: 2, properties: { subscriptionIdentifier: 9 } });
    const received = nextMessage(listener);
    const { client } = await connect();
    await client.publishAsync('plant/press/state', 'on', {
      qos: 2,
      properties: {
        userProperties: { batch: '12', line: ['a', 'b'] },
        contentType: 'text/plain',
        responseTopic: 'plant/press/answer',
        correlationData: Buffer.from([0, 255]),
        payloadFormatIndicator: true,
        messageExpiryInterval: 60,
      },
    });
    const { text, packet } = await received;
    expect([text, packet.qos]).toEqual(['on', 2]);
    expect(packet.properties).toMatchObject({
      userProperties: { batch: '12', line: ['a', 'b'] },
      contentType: 'text/plain',
      responseTopic: 'plant/press/answer',
      correlationData: Buffer.from([0, 255]),
      payloadFormatIndicator: true,
      messageExpiryInterval: 60,
      subscriptionIdentifier: expect.arrayContaining([7, 9]),
    });
  });

  test('answers a forbidden topic with a reason code and keeps the connection', async () => {
    const { body } = await service.request('POST', '/v1/devices', {
      body: { name: 'Pump', externalId: 'pump-5' },
    });
    const { secret } = await service.mintKey(['telemetry:write'], { devices: [body.id] });
    const { client } = await connect({ username: 'pump-5', password: secret });
    const topic = 'v1/devices/pump-6/telemetry';
    await expect(client.publishAsync(topic, '{"a":1}', { qos: 1 })).rejects.toMatchObject({ code: 0x87 });
    await expect(client.publishAsync(topic, '{"a":1}', { qos: 2 })).rejects.toMatchObject({ code: 0x87 });
    await client.publishAsync('v1/devices/me/telemetry', '{"a":2}', { qos: 1 });
    expect(await latest('pump-5')).toEqual([['a', 2]]);
  });

  test('disconnects with a reason if a message cannot be stored, so that its client keeps it', async () => {
    const { ingest } = service.service.parts;
    const accept = vi.spyOn(ingest, 'accept').mockRejectedValue(new StorageFull('The disk is full.'));
    onTestFinished(() => accept.mockRestore());
    const client = await rawClient(port);
    await client.connect(credentials());
    const topic = 'v1/devices/raw/telemetry';
    client.send({
      cmd: 'publish',
      topic,
      payload: '{"a":1}',
      qos: 1,
      messageId: 3,
      dup: false,
      retain: false,
    });
    expect(await client.next()).toMatchObject({ cmd: 'disconnect', reasonCode: 0x97 });
    expect(await client.next()).toBe('closed');
  });

  test('resolves topic aliases', async () => {
    const client = await rawClient(port);
    await client.connect(credentials());
    const publish = (topic: string, value: number, messageId: number) =>
      client.send({
        cmd: 'publish',
        topic,
        payload: JSON.stringify({ alias: value }),
        qos: 1,
        messageId,
        dup: false,
        retain: false,
        properties: { topicAlias: 3 },
      });
    publish('v1/devices/aliased/telemetry', 1, 1);
    expect(await client.next()).toMatchObject({ cmd: 'puback', messageId: 1, reasonCode: 0 });
    publish('', 2, 2);
    expect(await client.next()).toMatchObject({ cmd: 'puback', messageId: 2 });
    expect(await latest('aliased')).toEqual([['alias', 2]]);
  });

  test('sends no more unacknowledged messages than the client accepts, and none that are too large', async () => {
    const client = await rawClient(port);
    await client.connect({
      ...credentials(),
      properties: { receiveMaximum: 2, maximumPacketSize: 200 },
    });
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'flow', qos: 1 }] });
    expect(await client.next()).toMatchObject({ cmd: 'suback', granted: [1] });
    const { client: sender } = await connect();
    await sender.publishAsync('flow', 'x'.repeat(300), { qos: 1 });
    for (let n = 0; n < 4; n++) await sender.publishAsync('flow', String(n), { qos: 1 });
    const first = packet(await client.next());
    const second = packet(await client.next());
    expect([String(first['payload']), String(second['payload'])]).toEqual(['0', '1']);
    client.send({ cmd: 'pingreq' });
    expect(await client.next()).toMatchObject({ cmd: 'pingresp' });
    client.send({ cmd: 'puback', messageId: Number(first['messageId']) });
    expect(String(packet(await client.next())['payload'])).toBe('2');
  });

  test('sends a will after its delay, unless the client comes back', async () => {
    const { client: listener } = await connect();
    await listener.subscribeAsync('wills/#');
    const wills: string[] = [];
    listener.on('message', (topic) => wills.push(topic));
    const mortal = (clientId: string, sessionExpiryInterval: number) =>
      connect({
        clientId,
        clean: false,
        properties: { sessionExpiryInterval },
        will: {
          topic: `wills/${clientId}`,
          payload: Buffer.from('gone'),
          qos: 0,
          retain: false,
          properties: { willDelayInterval: 1 },
        },
      });
    const { client: back } = await mortal('back', 100);
    const { client: gone } = await mortal('gone', 100);
    const { client: short } = await mortal('short', 0);
    for (const client of [back, gone, short]) client.stream.destroy();
    await vi.waitFor(() => expect(wills).toEqual(['wills/short']), 5_000);
    await mortal('back', 100);
    await vi.waitFor(() => expect(wills).toContain('wills/gone'), 5_000);
    expect(wills).not.toContain('wills/back');
  });

  test('refuses shared subscriptions, invalid filters and $SYS, and honours no-local and retain-as-published', async () => {
    const client = await rawClient(port);
    await client.connect(credentials());
    const subscribe = (
      messageId: number,
      ...subscriptions: { topic: string; nl?: boolean; rap?: boolean; rh?: number }[]
    ) =>
      client.send({
        cmd: 'subscribe',
        messageId,
        subscriptions: subscriptions.map((each) => ({ qos: 1 as const, ...each })),
      });
    subscribe(1, { topic: '$share/group/a' }, { topic: 'a/#/b' }, { topic: '$SYS/#' }, { topic: 'a/b' });
    expect(await client.next()).toMatchObject({ granted: [0x9e, 0x8f, 0x87, 1] });
    subscribe(2, { topic: 'own', nl: true }, { topic: 'kept', rap: true, rh: 1 });
    expect(await client.next()).toMatchObject({ granted: [1, 1] });
    const publish = (topic: string, retain: boolean, messageId: number) =>
      client.send({ cmd: 'publish', topic, payload: 'x', qos: 1, messageId, dup: false, retain });
    publish('own', false, 11);
    expect(await client.next()).toMatchObject({ cmd: 'puback', messageId: 11 });
    publish('kept', true, 12);
    const both = [packet(await client.next()), packet(await client.next())];
    expect(both.find(({ cmd }) => cmd === 'publish')).toMatchObject({ topic: 'kept', retain: true });
    subscribe(3, { topic: 'kept', rap: true, rh: 1 }, { topic: 'kept', rap: true, rh: 2 });
    expect(await client.next()).toMatchObject({ cmd: 'suback' });
    client.send({ cmd: 'unsubscribe', messageId: 4, unsubscriptions: ['kept', 'never'] });
    expect(await client.next()).toMatchObject({ cmd: 'unsuback', granted: [0, 0x11] });
  });

  test('disconnects a client that is silent for one and a half of its keep-alive', async () => {
    const client = await rawClient(port);
    await client.connect({ ...credentials(), keepalive: 1 });
    expect(await client.next()).toMatchObject({ cmd: 'disconnect', reasonCode: 0x8d });
  });

  test('notifies the previous connection of a client ID that another connection has taken over', async () => {
    const first = await rawClient(port);
    await first.connect({ ...credentials(), clientId: 'same' });
    const second = await rawClient(port);
    expect(await second.connect({ ...credentials(), clientId: 'same' })).toMatchObject({ reasonCode: 0 });
    expect(await first.next()).toMatchObject({ cmd: 'disconnect', reasonCode: 0x8e });
  });
});

test.each<[string, Buffer | Partial<IConnectPacket>, number]>([
  ['an unknown version', Buffer.from([0x10, 13, 0, 4, 0x4d, 0x51, 0x54, 0x54, 9, 2, 0, 60, 0, 1, 0x61]), 1],
  [
    'no client ID for a kept session',
    Buffer.from([0x10, 12, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 0, 0, 60, 0, 0]),
    2,
  ],
  ['a client ID of 1,025 characters', { clientId: 'x'.repeat(1_025) }, 2],
])('a CONNECT of MQTT 3.1.1 with %s is refused with a return code', async (_, connect, returnCode) => {
  const client = await rawClient(port, 4);
  if (Buffer.isBuffer(connect)) client.send(connect);
  const answer = Buffer.isBuffer(connect)
    ? await client.next()
    : await client.connect({ ...credentials(), ...connect });
  expect(answer).toMatchObject({ cmd: 'connack', returnCode, sessionPresent: false });
  expect(await client.next()).toBe('closed');
});

/** A PUBLISH of QoS 0 to the topic `a` with these properties. */
const withProperties = (...properties: number[]): Buffer =>
  Buffer.from([0x30, 4 + properties.length, 0, 1, 0x61, properties.length, ...properties]);
const subscribeTo = (...topics: string[]): Packet => ({
  cmd: 'subscribe',
  messageId: 1,
  subscriptions: topics.map((topic) => ({ topic, qos: 1 })),
});

describe('hostile packets', () => {
  test.each<[string, number, () => Packet | Buffer]>([
    ['an unknown property', 0x81, () => withProperties(0x7f)],
    ['a property of another packet', 0x82, () => withProperties(0x11, 0, 0, 0, 5)],
    ['a repeated property', 0x82, () => withProperties(0x02, 0, 0, 0, 5, 0x02, 0, 0, 0, 5)],
    ['an incomplete text', 0x81, () => withProperties(0x03, 0, 200)],
    ['an incomplete user property', 0x81, () => withProperties(0x26, 0, 1, 0x61, 0, 99)],
    [
      'properties that are longer than the packet',
      0x81,
      () => Buffer.from([0x30, 5, 0, 1, 0x61, 0xff, 0x7f]),
    ],
    ['an alias beyond the limit', 0x94, () => withProperties(0x23, 0xff, 0xff)],
    ['an unknown alias', 0x82, () => Buffer.from([0x30, 6, 0, 0, 3, 0x23, 0, 9])],
    [
      'a second CONNECT',
      0x82,
      () => ({ cmd: 'connect', clientId: 'x', protocolId: 'MQTT', protocolVersion: 5 }),
    ],
    ['an AUTH', 0x82, () => ({ cmd: 'auth', reasonCode: 0x19 })],
    ['a packet identifier of 0', 0x81, () => Buffer.from([0x32, 7, 0, 1, 0x61, 0, 0, 0, 0x78])],
    [
      'a flood of user properties',
      0x97,
      () => ({
        cmd: 'publish',
        topic: 'a',
        payload: '',
        qos: 0,
        dup: false,
        retain: false,
        properties: { userProperties: { a: Array.from({ length: 5_000 }, () => 'b') } },
      }),
    ],
    ['an endless length', 0x81, () => Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x7f])],
  ])('%s ends the connection with a reason code', async (_, reasonCode, hostile) => {
    const client = await rawClient(port);
    await client.connect(credentials());
    client.send(hostile());
    expect(await client.next()).toMatchObject({ cmd: 'disconnect', reasonCode });
    expect(await client.next()).toBe('closed');
  });

  test('names of built-in properties are ordinary topics and client IDs', async () => {
    const client = await rawClient(port);
    expect(await client.connect({ ...credentials(), clientId: '__proto__' })).toMatchObject({
      reasonCode: 0,
    });
    client.send(subscribeTo('__proto__', 'constructor', 'x'));
    expect(await client.next()).toMatchObject({ cmd: 'suback', granted: [1, 1, 1] });
    client.send({ cmd: 'publish', topic: '__proto__', payload: 'x', qos: 0, dup: false, retain: false });
    expect(await client.next()).toMatchObject({ cmd: 'publish', topic: '__proto__' });
  });

  test('a client has a limited number of subscriptions and unreleased messages', async () => {
    const client = await rawClient(port);
    await client.connect(credentials());
    client.send(subscribeTo(...Array.from({ length: 600 }, (_, n) => `many/${n}`)));
    const { granted } = packet(await client.next()) as { granted: number[] };
    expect([granted[499], granted[500], granted[599]]).toEqual([1, 0x97, 0x97]);
    for (let messageId = 1; messageId <= 1_001; messageId++)
      client.send({
        cmd: 'publish',
        topic: 'half',
        payload: '',
        qos: 2,
        messageId,
        dup: false,
        retain: true,
      });
    let last = packet(await client.next());
    while (last['cmd'] === 'pubrec') last = packet(await client.next());
    expect(last).toMatchObject({ cmd: 'disconnect', reasonCode: 0x93 });
  });
});

describe('the topics of a device', () => {
  test.each([4, 5] as const)(
    'can be subscribed to with a key that only writes (MQTT %i)',
    async (version) => {
      const { client } = await connect({
        protocolVersion: version,
        username: 'thermostat',
        password: writer,
      });
      await client.subscribeAsync('v1/devices/me/commands/#', { qos: 1 });
      await client.subscribeAsync('v1/devices/thermostat/config');
      for (const topic of [
        '#',
        '+/devices/thermostat/config',
        'v1/devices/+/config',
        'v1/devices/other/#',
        '$SYS/#',
      ])
        await expect(client.subscribeAsync(topic)).rejects.toThrow(
          version === 5 ? /Not authorized/i : /Unspecified error/i,
        );
      const { client: console } = await connect({ username: 'console' });
      const received = nextMessage(client);
      await console.publishAsync('v1/devices/thermostat/commands/set', '{"to":21}', { qos: 1 });
      // The topic matches the filter that the client subscribed to.
      expect(await received).toMatchObject({ topic: 'v1/devices/me/commands/set', text: '{"to":21}' });
      const heardConfig = nextMessage(client);
      await console.publishAsync('v1/devices/thermostat/config', '1');
      expect(await heardConfig).toMatchObject({ topic: 'v1/devices/thermostat/config' });
    },
  );

  test.each(['+', 'a/b', '#', ''])('are none for the user name “%s”', async (username) => {
    const { client } = await connect({ username, password: writer });
    for (const topic of ['v1/devices/me/#', `v1/devices/${username}/#`])
      await expect(client.subscribeAsync(topic)).rejects.toBeInstanceOf(Error);
  });
});

describe.runIf(isInstalled('mosquitto_pub'))('mosquitto clients', () => {
  test('publish and subscribe with MQTT 5', async () => {
    const run = (program: string, user: string, password: string, ...args: string[]) =>
      promisify(execFile)(
        program,
        `-V 5 -h 127.0.0.1 -p ${port} -q 1 -u ${user} -P ${password}`.split(' ').concat(args),
      );
    const command = ['-t', 'v1/devices/lamp/commands', '-m', 'on', '-r'];
    await run(
      'mosquitto_pub',
      'console',
      reader,
      ...command,
      '-D',
      'publish',
      'user-property',
      'by',
      'operator',
    );
    const { stdout } = await run(
      'mosquitto_sub',
      'lamp',
      writer,
      '-t',
      'v1/devices/me/#',
      '-C',
      '1',
      '-F',
      '%t %p %P',
    );
    expect(stdout.trim()).toBe('v1/devices/me/commands on by:operator');
    await run('mosquitto_pub', 'lamp', writer, '-t', 'v1/devices/lamp/telemetry', '-m', '{"power": 4}');
    expect(await latest('lamp')).toEqual([['power', 4]]);
  });
});

const PAHO = `
import sys, paho.mqtt.client as mqtt
from paho.mqtt.properties import Properties
from paho.mqtt.packettypes import PacketTypes
port, password = int(sys.argv[1]), sys.argv[2]
arguments = dict(client_id="paho", protocol=mqtt.MQTTv5)
client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION1, **arguments) if hasattr(mqtt, "CallbackAPIVersion") else mqtt.Client(**arguments)
client.username_pw_set("paho", password)
def connected(client, userdata, flags, reason, properties):
    print("connected", reason, properties.TopicAliasMaximum)
    client.subscribe("v1/devices/me/commands", qos=2)
def subscribed(client, userdata, mid, codes, properties):
    print("subscribed", [str(code) for code in codes])
    sent = Properties(PacketTypes.PUBLISH)
    sent.UserProperty = ("by", "paho")
    sent.TopicAlias = 5
    client.publish("v1/devices/me/commands", "hello", qos=2, properties=sent)
def received(client, userdata, message):
    print("received", message.topic, message.payload.decode(), message.qos, message.properties.UserProperty)
    client.disconnect()
client.on_connect, client.on_subscribe, client.on_message = connected, subscribed, received
client.connect("127.0.0.1", port)
client.loop_forever()
`;

const hasPaho = await promisify(execFile)('/usr/bin/python3', ['-c', 'import paho.mqtt.client']).then(
  () => true,
  () => false,
);

test.runIf(hasPaho)('a Paho client connects, subscribes and publishes with MQTT 5', async () => {
  const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', PAHO, String(port), writer], {
    timeout: 20_000,
  });
  expect(stdout.trim().split('\n')).toEqual([
    'connected Success 64',
    "subscribed ['Granted QoS 2']",
    "received v1/devices/me/commands hello 2 [('by', 'paho')]",
  ]);
});

describe('MQTT over WebSocket', () => {
  const url = () => `${service.url.replace('http', 'ws')}/mqtt`;

  test.each([4, 5] as const)('works on the HTTP port (MQTT %i)', async (protocolVersion) => {
    const { client } = await connect({ protocolVersion, username: 'page' }, url());
    const received = nextMessage(client);
    await client.subscribeAsync('v1/devices/page/telemetry', { qos: 1 });
    await client.publishAsync('v1/devices/me/telemetry', '{"ws": 1}', { qos: 1 });
    expect(await received).toMatchObject({ text: '{"ws": 1}' });
    expect(await latest('page')).toEqual([['ws', 1]]);
  });

  const shake = (headers: Record<string, string>, path = '/mqtt') =>
    new Promise<string>((resolve) => {
      const socket = new WebSocketWithHeaders(
        `${service.url.replace('http', 'ws')}${path}`,
        headers['protocol'],
        {
          headers,
        },
      );
      socket.on('open', () => resolve('open'));
      socket.on('unexpected-response', (_: unknown, response: { statusCode: number }) =>
        resolve(String(response.statusCode)),
      );
      socket.on('error', () => resolve('error'));
      onTestFinished(() => socket.terminate());
    });

  test('checks the host, the origin and the subprotocol', async () => {
    const { host } = new URL(service.url);
    expect(await shake({ protocol: 'mqtt' })).toBe('open');
    expect(await shake({ protocol: 'mqtt', origin: `http://${host}` })).toBe('open');
    expect(await shake({ protocol: 'mqtt', origin: 'https://evil.example' })).toBe('421');
    expect(await shake({ protocol: 'mqtt', host: 'evil.example' })).toBe('421');
    expect(await shake({ protocol: 'chat' })).toBe('400');
    // Other paths do not upgrade: the handshake is answered as a GET.
    expect(await shake({ protocol: 'mqtt' }, '/v1/health')).toBe('200');
  });

  test('works below the path of BASE_URL, with and without it', async () => {
    const [httpPort, mqttPort] = [await freePort(), await freePort()];
    const below = await startTestService({
      env: {
        PORT: String(httpPort),
        MQTT_PORT: String(mqttPort),
        BASE_URL: `http://127.0.0.1:${httpPort}/iot/`,
      },
    });
    onTestFinished(() => below.close());
    const { secret: password } = await below.mintKey(['telemetry:write']);
    for (const path of ['/iot/mqtt', '/mqtt']) {
      const { client } = await connect({ password }, `ws://127.0.0.1:${httpPort}${path}`);
      await client.endAsync();
    }
  });

  test('closes a connection with a frame over the limit', async () => {
    const { client } = await connect({}, url());
    const closed = new Promise<void>((resolve) => {
      client.once('close', () => resolve());
    });
    client.stream.write(Buffer.alloc(2 * 1_048_576));
    await closed;
  });
});
