import { sql } from 'kysely';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import type { Scope } from '#contract/scope.ts';
import { isPostgres } from '#service/platform/storage/dialects/is-postgres.ts';
import { createUnroutedRecorder } from '#service/mqtt/unrouted-recorder.ts';
import { freePort } from './free-port.ts';
import { publishRaw } from './raw-mqtt.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let port: number;
let writer: string;
const clients: MqttClient[] = [];

beforeAll(async () => {
  port = await freePort();
  service = await startTestService({ env: { MQTT_PORT: String(port) } });
  ({ secret: writer } = await service.mintKey(['telemetry:write']));
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.request('DELETE', '/v1/unrouted');
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
});

const open = (options: IClientOptions, at = port): MqttClient => {
  const client = mqtt.connect(`mqtt://127.0.0.1:${at}`, { reconnectPeriod: 0, ...options });
  client.on('error', () => undefined);
  clients.push(client);
  return client;
};
const connect = async (options: IClientOptions, at = port): Promise<MqttClient> => {
  const client = open(options, at);
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve());
    client.once('close', () => reject(new Error('closed')));
  });
  return client;
};
/** Resolves with `acknowledged` or `closed`, whichever happens first. */
const publish = (
  client: MqttClient,
  topic: string,
  payload: string | Buffer,
  options = {},
): Promise<string> =>
  new Promise((resolve) => {
    const onClose = () => resolve('closed');
    client.once('close', onClose);
    client.publish(topic, payload, { qos: 1, ...options }, (error) => {
      client.off('close', onClose);
      resolve(error ? 'closed' : 'acknowledged');
    });
  });
const createPipeline = async (name: string, topic: string, host = service): Promise<string> => {
  const { body } = await host.request('POST', '/v1/pipelines', {
    body: { name, type: 'mqtt', interval: 5, destination: 'telemetry', config: { topic } },
  });
  if (host === service)
    onTestFinished(async () => void (await host.request('DELETE', `/v1/pipelines/${body.id}`)));
  return body.id;
};
/** A message as the broker passes it to the recorder. */
const unwritten = (topic: string) => ({
  topic,
  bytes: Buffer.from('1'),
  isRetained: false,
  username: 'plug-1',
  receivedAtMs: Date.now(),
});
const ledger = async (id: string) => (await service.request('GET', `/v1/pipelines/${id}`)).body.ledger;
const unrouted = async (query = '', host = service) =>
  (await host.request('GET', `/v1/unrouted${query}`)).body;
const counts = async (host = service): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await unrouted('?limit=200', host)).data.map(
      ({ topicFilter, messages }: { topicFilter: string; messages: number }) => [topicFilter, messages],
    ),
  );
const refusals = async (host = service): Promise<unknown[]> =>
  (await host.request('GET', '/v1/events?type=mqtt.refused')).body.data;
const mintDeviceKey = async (externalId: string, scopes: Scope[] = ['telemetry:write']) => {
  const { body } = await service.request('POST', '/v1/devices', { body: { name: externalId, externalId } });
  return (await service.mintKey(scopes, { devices: [body.id] })).secret;
};

test('a command that reaches its device is not unrouted, and one that does not is', async () => {
  const { secret: admin } = await service.mintKey(['telemetry:write', 'telemetry:read']);
  const valve = await connect({ username: 'valve', password: admin });
  await valve.subscribeAsync('v1/devices/me/commands');
  const received = new Promise((resolve) => valve.once('message', (_, payload) => resolve(String(payload))));
  const sender = await connect({ username: 'sender', password: admin });
  expect(await publish(sender, 'v1/devices/valve/commands', 'open')).toBe('acknowledged');
  expect(await received).toBe('open');
  await publish(sender, 'v1/devices/pump/commands', 'open');
  expect(Object.values(await counts())).toEqual([1]);
});

describe('Tasmota firmware', () => {
  /** Publishes what the firmware does after it connects, in its order. */
  const run = async (name: string, password: string) => {
    let connections = 0;
    const client = open({
      username: name,
      password,
      reconnectPeriod: 20,
      will: { topic: `tele/${name}/LWT`, payload: Buffer.from('Offline'), qos: 1, retain: true },
    });
    client.on('connect', () => (connections += 1));
    const send = (topic: string, payload: string, retain = false) =>
      client.publishAsync(topic, payload, { qos: 1, retain });
    await send(`tele/${name}/LWT`, 'Online', true);
    await send(`cmnd/${name}/POWER`, '');
    await send(`tele/${name}/INFO1`, '{"Info1":{"Module":"Sonoff Basic","Version":"14.1.0(tasmota)"}}');
    await send(`stat/${name}/RESULT`, '{"POWER":"ON"}');
    await send(`stat/${name}/POWER`, 'ON');
    await send(
      `tele/${name}/SENSOR`,
      JSON.stringify({
        Time: new Date().toISOString().slice(0, 19),
        SI7021: { Temperature: 21.5, Humidity: 40 },
      }),
    );
    return { client, connections: () => connections };
  };

  test.each(['unlimited', 'limited to its device'])(
    'stays connected with a key %s: its sensors are stored, the rest is unrouted',
    async (kind) => {
      const name = kind === 'unlimited' ? 'plug-1' : 'plug-2';
      const pipeline = await createPipeline('Tasmota', 'tele/+/SENSOR');
      const { client, connections } = await run(
        name,
        kind === 'unlimited' ? writer : await mintDeviceKey(name),
      );
      expect(connections()).toBe(1);
      expect(client.connected).toBe(true);
      expect(await ledger(pipeline)).toMatchObject({ delivered: 2, rejected: 0 });
      const latest = await service.request('GET', `/v1/telemetry/latest?device=${name}`);
      expect(latest.body.data).toMatchObject([
        { metric: 'SI7021.Humidity', value: 40 },
        { metric: 'SI7021.Temperature', value: 21.5 },
      ]);
      expect(await counts()).toEqual({
        'tele/+/LWT': 1,
        'cmnd/+/POWER': 1,
        'tele/+/INFO1': 1,
        'stat/+/RESULT': 1,
        'stat/+/POWER': 1,
      });
      client.options.reconnectPeriod = 0;
      client.stream.destroy();
      await expect.poll(() => counts()).toMatchObject({ 'tele/+/LWT': 2 });
      expect((await unrouted('?q=lwt')).data[0].lastMessage).toMatchObject({
        payload: 'Offline',
        retained: true,
      });
    },
  );
});

describe('an unrouted message', () => {
  test('is listed by topic filter with its count, times, clients and the last payload', async () => {
    const before = Date.now();
    for (const [name, payload] of [
      ['plug-1', 'ON'],
      ['plug-2', 'OFF'],
    ] as const)
      await publish(await connect({ username: name, password: writer }), `stat/${name}/POWER`, payload);
    const { data, nextCursor, others } = await unrouted();
    expect(data).toEqual([
      {
        topicFilter: 'stat/+/POWER',
        topics: 1,
        messages: 2,
        firstAt: expect.any(String),
        lastAt: expect.any(String),
        clients: ['plug-2', 'plug-1'],
        lastMessage: {
          topic: 'stat/plug-2/POWER',
          payload: 'OFF',
          bytes: 3,
          truncated: false,
          retained: false,
        },
      },
    ]);
    expect([nextCursor, others]).toEqual([null, { messages: 0 }]);
    expect(Date.parse(data[0].firstAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(data[0].lastAt)).toBeGreaterThanOrEqual(Date.parse(data[0].firstAt));
  });

  test.each([
    ['the level that is the client', 'tele/pump/STATE', 'tele/+/STATE'],
    ['each level that is the client', 'pump/up/pump', '+/up/+'],
    ['me', 'v1/devices/me/attributes', 'v1/devices/+/attributes'],
    ['another device of the API', 'v1/devices/boiler/attributes', 'v1/devices/+/attributes'],
    ['no level', 'zigbee2mqtt/bridge/state', 'zigbee2mqtt/bridge/state'],
    ['what is too long for a pipeline', `a/b/${'x'.repeat(2_000)}/c`, 'a/b/#'],
    ['a first level that is too long', 'x'.repeat(2_000), '+/#'],
  ])('generalises %s', async (_, topic, topicFilter) => {
    const client = await connect({ username: 'pump', password: writer });
    expect(await publish(client, topic, '1')).toBe('acknowledged');
    expect(await counts()).toEqual({ [topicFilter]: 1 });
  });

  test('keeps the first 4 KiB of text, and the size of binary payloads', async () => {
    const client = await connect({ username: 'cam', password: writer });
    await publish(client, 'cam/long', `${'x'.repeat(4_095)}é${'y'.repeat(1_000)}`);
    await publish(client, 'cam/image', Buffer.from([0xff, 0xd8, 0xff, 0xe0]));
    await publish(client, 'cam/zero', Buffer.from('a\0b'));
    await publish(client, 'cam/empty', '');
    const { data } = await unrouted('?sort=topicFilter');
    expect(data.map(({ lastMessage }: { lastMessage: unknown }) => lastMessage)).toMatchObject([
      { payload: '', bytes: 0, truncated: false },
      { payload: null, bytes: 4, truncated: false },
      { payload: 'x'.repeat(4_095), bytes: 5_097, truncated: true },
      { payload: null, bytes: 3, truncated: false },
    ]);
  });

  test('keeps the first 1,024 characters of a topic and 128 of a user name', async () => {
    const client = await connect({ username: 'u'.repeat(10_000), password: writer });
    await publish(client, `a/${'t'.repeat(60_000)}`, '1');
    const { data } = await unrouted();
    expect(data).toMatchObject([{ topicFilter: 'a/#', clients: ['u'.repeat(128)] }]);
    expect(data[0].lastMessage.topic).toHaveLength(1_024);
  });

  test.each([0, 1, 2] as const)('of QoS %i is recorded once', async (qos) => {
    const client = await connect({ username: `qos-${qos}`, password: writer });
    for (let index = 0; index < 10; index++) await publish(client, 'somewhere/else', String(index), { qos });
    await expect.poll(() => counts()).toEqual({ 'somewhere/else': 10 });
  });

  test('hides misplaced tokens', async () => {
    const client = await connect({ username: writer, password: writer });
    await publish(client, `x/${writer}/y/is-${writer}`, `{"key":"${writer}"}`);
    const text = JSON.stringify(await unrouted());
    expect(text).toContain('pen_key_***');
    expect(text).not.toContain(writer.slice(10));
  });

  test('survives a restart', async () => {
    const client = await connect({ username: 'plug-1', password: writer });
    expect(await publish(client, 'tele/plug-1/LWT', 'Online')).toBe('acknowledged');
    await service.restart();
    expect(await counts()).toEqual({ 'tele/+/LWT': 1 });
  });

  test('of thousands at once is counted exactly', async () => {
    const senders = await Promise.all(
      ['one', 'two', 'three'].map((username) => connect({ username, password: writer })),
    );
    await Promise.all(
      senders.flatMap((client) =>
        Array.from({ length: 1_000 }, (_, index) =>
          client.publishAsync(`many/${index % 7}`, String(index), { qos: 1 }),
        ),
      ),
    );
    const all = await counts();
    expect(Object.keys(all)).toHaveLength(7);
    expect(Object.values(all).reduce((sum, count) => sum + count, 0)).toBe(3_000);
  });

  test('replaces the oldest once there are 2,000 topic filters', async () => {
    const client = await connect({ username: 'flood', password: writer });
    await publish(client, 'first', '1');
    await publish(client, 'first', '2');
    // More topic filters at once are only counted.
    for (const from of [0, 668, 1_336])
      await Promise.all(
        Array.from({ length: 668 }, (_, index) =>
          client.publishAsync(`flood-${from + index}/x`, String(index), { qos: 1 }),
        ),
      );
    const { total, others } = await unrouted('?total=true');
    expect({ total, others }).toEqual({ total: 2_000, others: { messages: 6 } });
    expect((await unrouted('?grouped=true')).data).toMatchObject([{ topicFilter: '+/x', topics: 2_000 }]);
    expect((await unrouted('?q=first')).data).toEqual([]);
  });

  test('is forwarded to subscribers and retained like any other', async () => {
    const { secret } = await service.mintKey(['telemetry:write', 'telemetry:read']);
    const sender = await connect({ username: 'plug-1', password: writer });
    await publish(sender, 'tele/plug-1/LWT', 'Online', { retain: true });
    const listener = await connect({ username: 'wall', password: secret });
    const messages: string[] = [];
    listener.on('message', (topic, payload) => messages.push(`${topic} ${String(payload)}`));
    await listener.subscribeAsync('tele/+/LWT');
    await expect.poll(() => messages).toEqual(['tele/plug-1/LWT Online']);
  });

  test('records no event', async () => {
    const before = await refusals();
    const client = await connect({ username: 'plug-1', password: writer });
    await publish(client, 'stat/plug-1/POWER', 'ON');
    expect(await refusals()).toEqual(before);
  });

  test('goes to a matching pipeline, and is unrouted again while that is paused', async () => {
    const client = await connect({ username: 'plug-1', password: writer });
    const send = () => publish(client, 'energy/plug-1/now', '{"watts": 12}');
    expect(await send()).toBe('acknowledged');
    const id = await createPipeline('Energy', 'energy/+/now');
    expect(await send()).toBe('acknowledged');
    expect(await ledger(id)).toMatchObject({ delivered: 1 });
    await expect.poll(() => counts()).toEqual({});
    await service.request('PATCH', `/v1/pipelines/${id}`, { body: { enabled: false } });
    expect(await send()).toBe('acknowledged');
    expect([await counts(), await ledger(id)]).toMatchObject([{ 'energy/+/now': 1 }, { received: 1 }]);
  });

  test('that is still being written is not listed once a pipeline receives its topic', async () => {
    const recorder = createUnroutedRecorder(service.service.parts);
    const messages = ['mill/one', 'saw/one', 'kiln/one'].map((topic) => recorder.record(unwritten(topic)));
    recorder.removeRouted(['mill/+', 'saw/#', 'saw/#']);
    await Promise.all(messages);
    await recorder.drained();
    expect(await counts()).toEqual({ 'kiln/one': 1 });
  });

  test('whose topic a pipeline receives is not listed after a start', async () => {
    await createPipeline('Press', 'press/+');
    const recorder = createUnroutedRecorder(service.service.parts);
    await Promise.all([recorder.record(unwritten('press/one')), recorder.record(unwritten('lathe/one'))]);
    expect(await counts()).toEqual({ 'press/one': 1, 'lathe/one': 1 });
    await service.restart();
    await expect.poll(() => counts()).toEqual({ 'lathe/one': 1 });
  });

  test('is not acknowledged if it cannot be recorded', async () => {
    const { db } = service.service.parts;
    if (isPostgres(db)) return;
    const limitPages = (count: number) => sql`pragma max_page_count = ${sql.raw(String(count))}`.execute(db);
    const fill = async (index: number): Promise<string> =>
      publish(await connect({ username: 'filler', password: writer }), `fill/${index}`, 'x'.repeat(4_000));
    await limitPages(1);
    const outcomes: string[] = [];
    for (let index = 0; outcomes.at(-1) !== 'closed' && index < 100; index++)
      outcomes.push(await fill(index));
    await limitPages(1_000_000);
    expect(outcomes.at(-1)).toBe('closed');
    // Once the service has seen that the disk has room again.
    await expect.poll(() => fill(100)).toBe('acknowledged');
    expect(Object.keys(await counts())).toHaveLength(outcomes.filter((one) => one !== 'closed').length + 1);
  });
});

describe('the list', () => {
  beforeEach(async () => {
    const client = await connect({ username: 'plug-1', password: writer });
    for (const topic of ['b/one', 'a/two', 'c/THREE', 'a/two']) {
      await publish(client, topic, topic);
      // Times have milliseconds: the next one is later.
      const at = Date.now();
      await vi.waitUntil(() => Date.now() > at, { interval: 1 });
    }
  });

  test('pages by its sorts, and searches filters ignoring case', async () => {
    const filters = async (query: string) =>
      (await unrouted(query)).data.map(({ topicFilter }: { topicFilter: string }) => topicFilter);
    expect(await filters('')).toEqual(['a/two', 'c/THREE', 'b/one']);
    expect(await filters('?sort=topicFilter')).toEqual(['a/two', 'b/one', 'c/THREE']);
    expect(await filters('?sort=firstAt')).toEqual(['b/one', 'a/two', 'c/THREE']);
    expect(await filters('?sort=-messages&limit=1')).toEqual(['a/two']);
    expect(await filters('?q=tHre')).toEqual(['c/THREE']);
    const first = await unrouted('?limit=2&total=true');
    expect(first.total).toBe(3);
    const rest = await filters(`?limit=2&total=true&cursor=${first.nextCursor}`);
    expect(rest).toEqual(['b/one']);
  });

  test('is cleared of one topic filter or of all, with an event each', async () => {
    const one = await service.request('DELETE', '/v1/unrouted?topicFilter=a%2Ftwo');
    expect([one.status, one.body]).toEqual([200, { deleted: 1 }]);
    expect(await counts()).toEqual({ 'b/one': 1, 'c/THREE': 1 });
    expect((await service.request('DELETE', '/v1/unrouted')).body).toEqual({ deleted: 2 });
    expect(await counts()).toEqual({});
    const { body } = await service.request('GET', '/v1/events?type=unrouted.deleted&limit=2');
    expect(body.data.map(({ subject }: { subject: { name: string } }) => subject.name)).toEqual([
      'All topic filters',
      'a/two',
    ]);
  });
});

describe('topics that differ in one level', () => {
  beforeEach(async () => {
    const gateway = await connect({ username: 'gateway', password: writer });
    for (let n = 1; n <= 11; n += 1) await publish(gateway, `plant/dev-${n}/up`, `{"n": ${n}}`);
    // Of messages in one millisecond, none is the last one.
    const before = Date.now();
    await vi.waitUntil(() => Date.now() > before, { interval: 1 });
    await publish(gateway, 'plant/dev-12/up', '{"n": 12}');
    await publish(gateway, 'plant/status', 'ON');
  });

  test('are one item with the sum of their messages and the last payload, on request', async () => {
    const { data, total } = await unrouted('?grouped=true&total=true&sort=-messages');
    expect(total).toBe(2);
    expect(data).toMatchObject([
      {
        topicFilter: 'plant/+/up',
        topics: 12,
        messages: 12,
        clients: ['gateway'],
        lastMessage: { topic: 'plant/dev-12/up', payload: '{"n": 12}' },
      },
      { topicFilter: 'plant/status', topics: 1, messages: 1 },
    ]);
    const first = await unrouted('?grouped=true&sort=-messages&limit=1');
    expect(first.data).toMatchObject([{ topics: 12 }]);
    const rest = await unrouted(`?grouped=true&sort=-messages&limit=1&cursor=${first.nextCursor}`);
    expect([rest.data, rest.nextCursor]).toMatchObject([[{ topicFilter: 'plant/status' }], null]);
    expect(Object.keys(await counts())).toHaveLength(13);
    expect((await unrouted('?grouped=true&q=dev-3')).data).toMatchObject([
      { topicFilter: 'plant/dev-3/up', topics: 1 },
    ]);
  });

  test('are cleared by their filter, and are no longer listed once a pipeline receives them', async () => {
    const { body } = await service.request('DELETE', '/v1/unrouted?topicFilter=plant%2F%2B%2Fup');
    expect(body).toEqual({ deleted: 12 });
    expect(await counts()).toEqual({ 'plant/status': 1 });
    await createPipeline('Plant', 'plant/#');
    await expect.poll(() => counts()).toEqual({});
  });
});

describe('a key limited to devices', () => {
  test('can publish to topics of its own device, whatever pipeline they match', async () => {
    const pipeline = await createPipeline('Plugs', 'plugs/+/#');
    const secret = await mintDeviceKey('own-1');
    const client = await connect({ username: 'own-1', password: secret });
    expect(await publish(client, 'plugs/own-1/power', '{"watts": 5}')).toBe('acknowledged');
    expect(await ledger(pipeline)).toMatchObject({ delivered: 1 });
  });

  test.each([
    ['plugs/victim-1/power', '{"watts": 99}'],
    ['v1/devices/victim-1/telemetry', '{"watts": 99}'],
    ['v1/devices/victim-1/attributes', '{"watts": 99}'],
    ['$SYS/x', '1'],
  ])('is disconnected when it publishes to %s of another device', async (topic, payload) => {
    await createPipeline('Plugs', 'plugs/+/#');
    const secret = await mintDeviceKey(`thief-${topic.length}`);
    const client = await connect({ username: `thief-${topic.length}`, password: secret });
    expect(await publish(client, topic, payload)).toBe('closed');
    expect(await counts()).toEqual({});
    await expect
      .poll(() => refusals())
      .toContainEqual(
        expect.objectContaining({ data: expect.objectContaining({ reason: 'topic-forbidden', topic }) }),
      );
  });

  test('cannot write samples of another device to a topic that names none', async () => {
    const pipeline = await createPipeline('Site', 'site/#');
    const secret = await mintDeviceKey('guest-1');
    const client = await connect({ username: 'guest-1', password: secret });
    const message = {
      samples: [
        { device: 'victim-2', values: { watts: 99 } },
        { device: 'guest-1', values: { watts: 1 } },
      ],
    };
    expect(await publish(client, 'site/any', JSON.stringify(message))).toBe('acknowledged');
    expect(await ledger(pipeline)).toMatchObject({ delivered: 1, rejected: 1 });
    expect((await service.request('GET', '/v1/devices?q=victim-2')).body.data).toEqual([]);
  });

  test('is recorded on any other topic, but neither forwarded nor retained', async () => {
    const { secret: reader } = await service.mintKey(['telemetry:write', 'telemetry:read']);
    const boss = await connect({ username: 'boss', password: reader });
    await publish(boss, 'cmnd/victim-3/POWER', 'OFF', { retain: true });
    const messages: string[] = [];
    boss.on('message', (_, payload) => messages.push(String(payload)));
    await boss.subscribeAsync('cmnd/#');
    await expect.poll(() => messages).toEqual(['OFF']);
    const client = await connect({ username: 'spy-1', password: await mintDeviceKey('spy-1') });
    for (const payload of ['ON', ''])
      expect(await publish(client, 'cmnd/victim-3/POWER', payload, { retain: true })).toBe('acknowledged');
    await publish(boss, 'cmnd/last', 'END');
    await expect.poll(() => messages).toEqual(['OFF', 'END']);
    const late = await connect({ username: 'late', password: reader });
    const kept: string[] = [];
    late.on('message', (_, payload) => kept.push(String(payload)));
    await late.subscribeAsync('cmnd/victim-3/POWER');
    await expect.poll(() => kept).toEqual(['OFF']);
    expect((await unrouted('?q=victim-3')).data).toMatchObject([
      { messages: 2, clients: ['spy-1', 'boss'], lastMessage: { payload: 'ON' } },
    ]);
  });
});

test('messages of a device during restarts do not become unrouted', async () => {
  const pipeline = await createPipeline('Steady', 'steady/+/value');
  const client = open({ username: 'steady', password: writer, reconnectPeriod: 5 });
  let next = 0;
  const stop = new AbortController();
  const sending = (async () => {
    while (!stop.signal.aborted) {
      await client.publishAsync('steady/steady/value', `{"n": ${next}}`, { qos: 1 });
      next += 1;
    }
  })();
  for (let restart = 0; restart < 3; restart++) {
    const sent = next;
    await expect.poll(() => next).toBeGreaterThan(sent + 5);
    await service.restart();
  }
  stop.abort();
  await sending;
  expect(await counts()).toEqual({});
  expect((await ledger(pipeline)).received).toBeGreaterThanOrEqual(next);
});

test('with MQTT_UNROUTED=refuse the connection is closed, unacknowledged, with an event', async () => {
  const strictPort = await freePort();
  const strict = await startTestService({ env: { MQTT_PORT: String(strictPort), MQTT_UNROUTED: 'refuse' } });
  onTestFinished(() => strict.close());
  const { secret } = await strict.mintKey(['telemetry:write']);
  const client = await connect({ username: 'lost', password: secret }, strictPort);
  expect(await publish(client, 'v1/devices/lost/attributes', '{"a": 1}')).toBe('closed');
  await expect
    .poll(() => refusals(strict))
    .toMatchObject([{ data: { reason: 'no-pipeline', topic: 'v1/devices/lost/attributes' } }]);
  expect(await counts(strict)).toEqual({});
});

test('a topic with a wildcard is rejected', async () => {
  const publishing = publishRaw({ port, username: 'wild', password: writer }, 'tele/+/LWT', 'x');
  await expect(publishing).rejects.toThrow('closed the connection');
  expect(await counts()).toEqual({});
});
