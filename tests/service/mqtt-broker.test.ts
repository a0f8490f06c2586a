import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { promisify } from 'node:util';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Scope } from '#contract/scope.ts';
import { StorageFull } from '#service/platform/storage/store-errors.ts';
import { isInstalled } from './installed.ts';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let port: number;
let pipelineId: string;
let writer: string;
const clients: MqttClient[] = [];

beforeAll(async () => {
  port = await freePort();
  service = await startTestService({ env: { MQTT_PORT: String(port) } });
  ({ id: pipelineId } = await createPipeline('MQTT devices', {}));
  ({ secret: writer } = await service.mintKey(['telemetry:write']));
});
afterAll(() => service.close());
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
});

const createPipeline = async (name: string, config: Record<string, unknown>): Promise<{ id: string }> =>
  (
    await service.request('POST', '/v1/pipelines', {
      body: { name, type: 'mqtt', interval: 5, destination: 'telemetry', config },
    })
  ).body;
/** What happens after the answer, however busy the machine is. */
const soon = (expectation: () => void | Promise<void>) => vi.waitFor(expectation, 20_000);
const ledger = async (id = pipelineId) => (await service.request('GET', `/v1/pipelines/${id}`)).body.ledger;
const latest = async (device: string) =>
  (await service.request('GET', `/v1/telemetry/latest?device=${device}`)).body.data.map(
    ({ metric, value }: { metric: string; value: unknown }) => [metric, value],
  );
const mintDeviceKey = async (externalId: string, scopes: Scope[] = ['telemetry:write']) => {
  const { body } = await service.request('POST', '/v1/devices', { body: { name: externalId, externalId } });
  return service.mintKey(scopes, { devices: [body.id] });
};
const refusals = async () =>
  (await service.request('GET', '/v1/events?type=mqtt.refused')).body.data.map(
    ({ data, subject }: { data: { reason: string }; subject: { name: string } }) => [
      data.reason,
      subject.name,
    ],
  );

const connect = async (options: IClientOptions): Promise<MqttClient> => {
  const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0, ...options });
  clients.push(client);
  client.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve());
    client.once('error', reject);
    client.once('close', () => reject(new Error('closed')));
  });
  return client;
};
/** Resolves with `acknowledged` or `closed`, whichever happens first. */
const publish = (client: MqttClient, topic: string, payload: string, options = {}): Promise<string> =>
  new Promise((resolve) => {
    const onClose = () => resolve('closed');
    client.once('close', onClose);
    client.publish(topic, payload, { qos: 1, ...options }, (error) => {
      client.off('close', onClose);
      resolve(error ? 'closed' : 'acknowledged');
    });
  });
const sendUnacknowledged = async (
  { username, password }: { username: string; password: string },
  topic: string,
  payload: string,
) => {
  const client = await connect({ username, password });
  expect(await publish(client, topic, payload, { retain: true })).toBe('closed');
};
const nextClose = (client: MqttClient): Promise<void> =>
  new Promise((resolve) => {
    client.once('close', resolve);
  });
const nextMessage = (client: MqttClient): Promise<[string, string]> =>
  new Promise((resolve) => {
    client.once('message', (topic, payload) => resolve([topic, String(payload)]));
  });
const mosquittoPub = (args: string[]) =>
  promisify(execFile)('mosquitto_pub', ['-h', '127.0.0.1', '-p', String(port), ...args]).then(
    () => 0,
    ({ code }: { code: number }) => code,
  );

describe('a device with a key of its own', () => {
  test.runIf(isInstalled('mosquitto_pub'))(
    'publishes with mosquitto_pub, and acknowledged values can be read',
    async () => {
      const { secret } = await mintDeviceKey('boiler-1');
      const credentials = ['-u', 'boiler-1', '-P', secret, '-q', '1'];
      expect(
        await mosquittoPub([...credentials, '-t', 'v1/devices/boiler-1/telemetry', '-m', '{"temp": 21}']),
      ).toBe(0);
      expect(await latest('boiler-1')).toEqual([['temp', 21]]);
      expect(
        await mosquittoPub([...credentials, '-t', 'v1/devices/me/telemetry', '-m', '{"temp": 22}']),
      ).toBe(0);
      expect(await latest('boiler-1')).toEqual([['temp', 22]]);
    },
  );

  test('is rejected with the name of another device or without a name', async () => {
    const { secret } = await mintDeviceKey('boiler-2');
    await expect(connect({ username: 'boiler-1', password: secret })).rejects.toMatchObject({ code: 5 });
    await expect(connect({ username: '', password: secret })).rejects.toMatchObject({ code: 5 });
    await soon(async () => expect(await refusals()).toContainEqual(['foreign-device', 'boiler-1']));
  });

  test('is disconnected without an acknowledgement if it publishes for another device', async () => {
    const { secret } = await mintDeviceKey('boiler-3');
    for (const topic of ['v1/devices/boiler-1/telemetry', 'v1/devices/boiler-3', 'v1/devices/+x/telemetry']) {
      const client = await connect({ username: 'boiler-3', password: secret });
      expect(await publish(client, topic, '{"temp": 99}')).toBe('closed');
    }
    expect(await latest('boiler-1')).toEqual([['temp', 22]]);
    await soon(async () => expect(await refusals()).toContainEqual(['topic-forbidden', 'boiler-3']));
  });

  test('cannot write for another device in its message', async () => {
    const { secret } = await mintDeviceKey('boiler-4');
    const client = await connect({ username: 'boiler-4', password: secret });
    const message = { samples: [{ device: 'boiler-1', values: { temp: 99 } }, { values: { temp: 4 } }] };
    expect(await publish(client, 'v1/devices/me/telemetry', JSON.stringify(message))).toBe('acknowledged');
    expect(await latest('boiler-1')).toEqual([['temp', 22]]);
    expect(await latest('boiler-4')).toEqual([['temp', 4]]);
  });

  test('receives no messages of other devices', async () => {
    const { secret } = await mintDeviceKey('boiler-5', ['telemetry:write', 'telemetry:read']);
    const client = await connect({ username: 'boiler-5', password: secret });
    for (const topic of ['#', 'v1/devices/+/telemetry', 'v1/devices/boiler-1/telemetry', '$SYS/#'])
      await expect(client.subscribeAsync(topic)).rejects.toBeInstanceOf(Error);
    expect(await client.subscribeAsync('v1/devices/boiler-5/#')).toMatchObject([{ qos: 0 }]);
  });

  test('is disconnected when its key is revoked', async () => {
    const { id, secret } = await mintDeviceKey('boiler-6');
    const client = await connect({ username: 'boiler-6', password: secret });
    const closed = nextClose(client);
    await service.request('DELETE', `/v1/api-keys/${id}`);
    await closed;
    await expect(connect({ username: 'boiler-6', password: secret })).rejects.toMatchObject({ code: 4 });
  });

  test('is disconnected when its key is rotated without an overlap, and the new key connects', async () => {
    const { id, secret } = await mintDeviceKey('boiler-7');
    const client = await connect({ username: 'boiler-7', password: secret });
    const closed = nextClose(client);
    const { body } = await service.request('POST', `/v1/api-keys/${id}/rotate`, {
      body: { overlapSeconds: 0 },
    });
    await closed;
    const next = await connect({ username: 'boiler-7', password: body.secret });
    expect(await publish(next, 'v1/devices/me/telemetry', '{"temp": 7}')).toBe('acknowledged');
  });

  test.each(['revoked', 'gone'])('is disconnected when its key is %s without a notification', async (how) => {
    const { db, now } = service.service.parts;
    const { id, secret } = await mintDeviceKey(`silent-${how}`);
    const other = await connect({ username: 'stays', password: writer });
    const closed = nextClose(await connect({ username: `silent-${how}`, password: secret }));
    await (how === 'gone'
      ? db.deleteFrom('api_key').where('id', '=', id).execute()
      : db.updateTable('api_key').set({ revoked_at: now() }).where('id', '=', id).execute());
    await closed;
    expect(other.connected).toBe(true);
  });
});

describe('a client', () => {
  test('cannot connect without a key', async () => {
    await expect(connect({})).rejects.toMatchObject({ code: 4 });
    await expect(connect({ username: 'boiler-1' })).rejects.toMatchObject({ code: 4 });
    await expect(connect({ username: 'boiler-1', password: 'wrong' })).rejects.toMatchObject({ code: 4 });
    await expect(connect({ username: 'boiler-1', password: service.token })).rejects.toMatchObject({
      code: 4,
    });
    await soon(async () => {
      const reasons = (await refusals()).map(([reason]: string[]) => reason);
      expect(reasons).toEqual(expect.arrayContaining(['token-missing', 'token-invalid']));
    });
  });

  test('leaves no misplaced token in the log', async () => {
    const { id, secret } = await mintDeviceKey('misplaced');
    await expect(connect({ username: `${secret}\u0007` })).rejects.toMatchObject({ code: 4 });
    await expect(connect({ username: `bell\u0007\u202e${'l'.repeat(200)}` })).rejects.toMatchObject({
      code: 4,
    });
    const sender = await connect({ username: 'misplaced', password: secret });
    expect(await publish(sender, `v1/devices/${secret}/telemetry`, '1')).toBe('closed');
    const named = await connect({ username: secret, password: writer });
    expect(await publish(named, 'v1/devices/me/attributes', '1')).toBe('acknowledged');
    await soon(async () => {
      const { body } = await service.request('GET', '/v1/events?type=mqtt.refused&limit=200');
      const text = JSON.stringify(body.data);
      expect(text.match(/pen_key_\*\*\*\/telemetry/g)).toHaveLength(2);
      expect(text).not.toContain(secret.slice('pen_key_'.length));
      await soon(async () => expect(await refusals()).toContainEqual(['token-missing', 'pen_key_***']));
      await soon(async () =>
        expect(await refusals()).toContainEqual(['token-missing', `bell${'l'.repeat(124)}`]),
      );
    });
    await service.request('DELETE', `/v1/api-keys/${id}`);
  });

  test('cannot connect if its key lacks telemetry:write', async () => {
    const { secret } = await service.mintKey(['telemetry:read']);
    await expect(connect({ username: 'x', password: secret })).rejects.toMatchObject({ code: 5 });
  });

  test('takes over only connections of its own user', async () => {
    const first = await connect({ clientId: 'same', username: 'one', password: writer });
    const other = await connect({ clientId: 'same', username: 'two', password: writer });
    expect(await publish(first, 'v1/devices/me/telemetry', '{"a": 1}')).toBe('acknowledged');
    const closed = nextClose(first);
    await connect({ clientId: 'same', username: 'one', password: writer });
    await closed;
    expect(other.connected).toBe(true);
  });
});

describe('a publish', () => {
  test.each([0, 1, 2] as const)('with QoS %i is stored once', async (qos) => {
    const before = await ledger();
    const client = await connect({ username: `qos-${qos}`, password: writer });
    for (let index = 0; index < 50; index++)
      await publish(
        client,
        'v1/devices/me/telemetry',
        `{"ts": ${1_700_000_000_000 + index}, "values": {"a": ${index}}}`,
        { qos },
      );
    await soon(async () => expect((await ledger()).received).toBe(before.received + 50));
    expect(await latest(`qos-${qos}`)).toEqual([['a', 49]]);
  });

  test('is counted once if repeated before its release (QoS 2)', async () => {
    const before = await ledger();
    const socket = connectSocket(port, '127.0.0.1');
    const text = (value: string) => Buffer.concat([Buffer.from([0, value.length]), Buffer.from(value)]);
    const packet = (type: number, ...parts: Buffer[]) => {
      const body = Buffer.concat(parts);
      return Buffer.concat([Buffer.from([type, body.length]), body]);
    };
    const answer = async (sent: Buffer): Promise<number[]> => {
      socket.write(sent);
      const [chunk] = await once(socket, 'data');
      return [...chunk];
    };
    // MQTT 3.1.1, 3.1: clean session, with a username and a password.
    const flags = Buffer.from([4, 0xc2, 0, 0]);
    const hello = packet(0x10, text('MQTT'), flags, text('raw'), text('twice'), text(writer));
    expect(await answer(hello)).toEqual([0x20, 2, 0, 0]);
    const publication = [text('v1/devices/me/telemetry'), Buffer.from([0, 9]), Buffer.from('{"a": 1}')];
    expect(await answer(packet(0x34, ...publication))).toEqual([0x50, 2, 0, 9]);
    expect(await answer(packet(0x3c, ...publication))).toEqual([0x50, 2, 0, 9]);
    expect(await answer(packet(0x62, Buffer.from([0, 9])))).toEqual([0x70, 2, 0, 9]);
    socket.destroy();
    expect((await ledger()).received).toBe(before.received + 1);
  });

  test('is acknowledged, rejected and stored with its topic if it cannot be read', async () => {
    const before = await ledger();
    const client = await connect({ username: 'garbled', password: writer });
    expect(await publish(client, 'v1/devices/garbled/telemetry', 'temp=21')).toBe('acknowledged');
    expect(await ledger()).toMatchObject({ rejected: before.rejected + 1 });
    const { body } = await service.request('GET', `/v1/pipelines/${pipelineId}/rejections?reason=not-json`);
    expect(body.data[0]).toMatchObject({ message: 'temp=21', topic: 'v1/devices/garbled/telemetry' });
  });

  test('is not acknowledged if it cannot be stored', async () => {
    const { ingest } = service.service.parts;
    const accept = vi.spyOn(ingest, 'accept').mockRejectedValue(new StorageFull('The disk is full.'));
    const before = await ledger();
    const client = await connect({ username: 'full', password: writer });
    expect(await publish(client, 'v1/devices/me/telemetry', '{"a": 1}')).toBe('closed');
    expect(await ledger()).toEqual(before);
    accept.mockRestore();
    await soon(async () => {
      const { body } = await service.request('GET', `/v1/pipelines/${pipelineId}`);
      expect(body).toMatchObject({ state: 'degraded', lastError: { detail: 'The disk is full.' } });
    });
  });

  test('to $SYS is rejected', async () => {
    const client = await connect({ username: 'boss', password: writer });
    expect(await publish(client, '$SYS/broker/uptime', '1')).toBe('closed');
  });

  test('larger than 256 KiB closes the connection, before it is read', async () => {
    const client = await connect({ username: 'large', password: writer });
    expect(await publish(client, 'v1/devices/me/telemetry', `{"a": "${'x'.repeat(262_144)}"}`)).toBe(
      'closed',
    );
  });

  test('uses the device at the first + of the filter', async () => {
    const { id } = await createPipeline('Site', { topic: 'site/+/+/#' });
    const client = await connect({ username: 'gateway', password: writer });
    expect(await publish(client, 'site/meter-9/power/total/kwh', '{"v": 7}')).toBe('acknowledged');
    expect(await latest('meter-9')).toEqual([['v', 7]]);
    expect(await ledger(id)).toMatchObject({ received: 1, delivered: 1 });
  });
});

test('three thousand messages sent at once are each acknowledged and counted', async () => {
  const before = await ledger();
  const client = await connect({ username: 'burst', password: writer });
  const sent = Array.from({ length: 3_000 }, (_, index) =>
    client.publishAsync(
      'v1/devices/me/telemetry',
      JSON.stringify({ ts: 1_700_000_000_000 + index, values: { n: index } }),
      { qos: 1 },
    ),
  );
  await Promise.all(sent);
  const after = await ledger();
  expect(after.received - before.received).toBe(3_000);
  expect(after.delivered - before.delivered).toBe(3_000);
});

describe('subscribers', () => {
  test('receive messages of devices if their key has telemetry:read', async () => {
    const { secret } = await service.mintKey(['telemetry:write', 'telemetry:read']);
    const listener = await connect({ username: 'wall', password: secret });
    await listener.subscribeAsync('v1/devices/+/telemetry', { qos: 1 });
    const received = nextMessage(listener);
    const sender = await connect({ username: 'talker', password: writer });
    await publish(sender, 'v1/devices/me/telemetry', '{"a": 1}');
    expect(await received).toEqual(['v1/devices/talker/telemetry', '{"a": 1}']);
  });

  test('receive nothing if their key can only write', async () => {
    const client = await connect({ username: 'deaf', password: writer });
    await expect(client.subscribeAsync('v1/devices/+/telemetry')).rejects.toBeInstanceOf(Error);
  });

  test('receive the retained message of a topic until an empty one clears it', async () => {
    const { secret } = await service.mintKey(['telemetry:write', 'telemetry:read']);
    const topic = 'v1/devices/keeper/telemetry';
    const sender = await connect({ username: 'keeper', password: writer });
    await publish(sender, topic, '{"a": 1}', { retain: true });
    const early = await connect({ username: 'early', password: secret });
    const received = nextMessage(early);
    await early.subscribeAsync(topic);
    expect(await received).toEqual([topic, '{"a": 1}']);

    const before = await ledger();
    await publish(sender, topic, '', { retain: true });
    const late = await connect({ username: 'late', password: secret });
    const messages: string[] = [];
    late.on('message', (_, payload) => messages.push(String(payload)));
    await late.subscribeAsync(topic);
    await publish(sender, topic, '{"a": 2}');
    await soon(() => expect(messages).toEqual(['{"a": 2}']));
    expect((await ledger()).rejected).toBe(before.rejected);
  });
});

test('rejected messages do not use the budget of retained messages', async () => {
  // 64 of them would use the whole budget.
  const large = 'x'.repeat(262_000);
  const { secret: password } = await mintDeviceKey('greedy');
  for (let index = 0; index < 64; index++)
    await sendUnacknowledged(
      { username: 'greedy', password },
      `v1/devices/greedy-${index}/attributes`,
      large,
    );
  const { secret } = await service.mintKey(['telemetry:write', 'telemetry:read']);
  const topic = 'v1/devices/roomy/telemetry';
  const payload = `{"a": 1}${' '.repeat(20_000)}`;
  const sender = await connect({ username: 'roomy', password: writer });
  expect(await publish(sender, topic, payload, { retain: true })).toBe('acknowledged');
  const listener = await connect({ username: 'late-comer', password: secret });
  const received = nextMessage(listener);
  await listener.subscribeAsync(topic);
  expect(await received).toEqual([topic, payload]);
});

test('a will is a message like any other', async () => {
  const client = await connect({
    username: 'mortal',
    password: writer,
    will: { topic: 'v1/devices/me/telemetry', payload: Buffer.from('{"alive": false}'), qos: 1 },
  });
  client.stream.destroy();
  await soon(async () => expect(await latest('mortal')).toEqual([['alive', false]]));
});

test('a client that does not speak MQTT is disconnected', async () => {
  const socket = connectSocket(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.on('error', () => undefined);
  await once(socket, 'close');
  expect(socket.destroyed).toBe(true);
});

test('a port in use only fails MQTT pipelines, and the reason says what to do', async () => {
  const second = await startTestService({ env: { MQTT_PORT: String(port), SEED: 'default' } });
  try {
    await soon(async () => {
      const { body } = await second.request('GET', '/v1/pipelines?type=mqtt');
      expect(body.data).toMatchObject([{ state: 'failed' }]);
      expect(body.data[0].lastError.detail).toContain(`MQTT_PORT ${port}`);
    });
    const { body } = await second.request('GET', '/v1/pipelines?type=host');
    expect(body.data).toMatchObject([{ state: 'running' }]);
  } finally {
    await second.close();
  }
});

test('a message without a timestamp gets the same one in two pipelines', async () => {
  let later = 0;
  const ownPort = await freePort();
  // A clock that is never asked twice for the same time.
  const own = await startTestService({
    env: { MQTT_PORT: String(ownPort) },
    now: () => Date.now() + (later += 1),
  });
  onTestFinished(() => own.close());
  const create = async (name: string): Promise<string> =>
    (
      await own.request('POST', '/v1/pipelines', {
        body: { name, type: 'mqtt', interval: 5, destination: 'telemetry' },
      })
    ).body.id;
  const ids = [await create('One'), await create('Another')];
  const { secret } = await own.mintKey(['telemetry:write']);
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${ownPort}`, {
    username: 'boiler',
    password: secret,
  });
  clients.push(client);
  await client.publishAsync('v1/devices/boiler/telemetry', '{"temp":21}', { qos: 1 });
  for (const id of ids)
    expect((await own.request('GET', `/v1/pipelines/${id}`)).body.ledger).toMatchObject({ delivered: 1 });
  const { body } = await own.request('POST', '/v1/telemetry/query', {
    body: { devices: ['boiler'], metrics: ['temp'], from: '-1h', to: '+1h' },
  });
  expect(body.series).toMatchObject([{ value: [21] }]);
});
