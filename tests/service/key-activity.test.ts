import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let port: number;
beforeAll(async () => {
  port = await freePort();
  service = await startTestService({ env: { MQTT_PORT: String(port) } });
});
afterAll(() => service.close());

const activityOf = async (id: string, token = service.token) =>
  (await service.request('GET', `/v1/api-keys/${id}/activity`, { token })).body;
const createPipeline = (name: string, topic: string) =>
  service.request('POST', '/v1/pipelines', {
    body: { name, type: 'mqtt', interval: 10, destination: 'telemetry', config: { topic } },
  });

test('the activity of a key names devices, formats, rejections and unrouted topics of its MQTT messages', async () => {
  const pipeline = (await createPipeline('Plugs', 'tele/#')).body;
  const { id, secret } = await service.mintKey(['telemetry:write']);
  const other = await service.mintKey(['telemetry:write']);
  expect(await activityOf(id)).toMatchObject({ lastUsedAt: null, received: 0, devices: [], refused: [] });
  await activityOf(other.id);

  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
    username: 'plug-1',
    password: secret,
  });
  await client.publishAsync('tele/plug-1/LWT', 'Online', { qos: 1 });
  await client.publishAsync(
    'tele/plug-1/SENSOR',
    JSON.stringify({ Time: new Date().toISOString(), ENERGY: { Power: 3.5 } }),
    { qos: 1 },
  );
  await client.publishAsync('tele/plug-1/INFO3', '{"Info3":{"RestartReason":"Power On"}}', { qos: 1 });
  await client.publishAsync('tele/plug-2/SENSOR', 'no format at all', { qos: 1 });
  await client.publishAsync('stat/plug-1/POWER', 'ON', { qos: 1 });
  await client.endAsync();

  const activity = await activityOf(id);
  const place = { id: pipeline.id, name: 'Plugs' };
  expect(activity).toMatchObject({
    received: 3,
    rejected: 1,
    skipped: 1,
    deviceCount: 1,
    devices: [{ externalId: 'plug-1', name: 'plug-1' }],
    formats: [{ format: 'tasmota', pipeline: place }],
    rejections: [{ pipeline: place }],
    unrouted: [{ topic: 'stat/plug-1/POWER' }],
  });
  expect(activity.lastUsedFrom).toMatch(/127\.0\.0\.1$/);
  expect(await activityOf(other.id)).toMatchObject({ received: 0, devices: [], unrouted: [] });
});

test('writes are activity of their key, with the reason of a write that is rejected as a whole', async () => {
  const { id, secret } = await service.mintKey(['telemetry:write']);
  await activityOf(id);
  const write = (body: string) =>
    service.request('POST', '/api/v2/write', {
      body,
      token: null,
      headers: { authorization: `Token ${secret}`, 'content-type': 'text/plain' },
    });
  expect((await write('cpu,host=pi usage_idle=97.1')).status).toBe(204);
  await write('cpu usage_idle=97.1');
  await service.request('POST', '/v1/telemetry', { token: secret, body: 'no JSON' });
  expect(await activityOf(id)).toMatchObject({
    received: 2,
    rejected: 1,
    devices: [{ externalId: 'pi' }],
    formats: [{ format: 'line-protocol', pipeline: null }],
    rejections: [{ reason: 'malformed-body' }, { reason: 'device-missing' }],
  });
});

test('refused writes and MQTT connections are listed from the first read on, whoever sent them', async () => {
  const { id } = await service.mintKey(['telemetry:write']);
  const reader = await service.mintKey(['telemetry:read']);
  const send = (token: string | null) =>
    service.request('POST', '/v1/telemetry', { token, body: { samples: [] } });
  await activityOf(id);
  await send(null);
  await send(reader.secret);
  await expect(
    mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { username: 'plug-1', password: 'wrong' }, false),
  ).rejects.toThrow('Connection refused');
  const { refused } = await activityOf(id);
  expect(refused.map(({ reason }: { reason: string }) => reason)).toEqual([
    'token-invalid',
    'insufficient-scope',
    'token-missing',
  ]);
  // For the operator, not for a person in a browser.
  const detail = 'Unknown API key. Check that the client sends all of it as the password.';
  expect(refused[0]).toMatchObject({ reason: 'token-invalid', detail });
  await expect
    .poll(async () => (await service.request('GET', '/v1/events?type=mqtt.refused')).body.data)
    .toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ username: 'plug-1', detail }) }),
    );
  expect((await activityOf(reader.id)).refused).toEqual([]);
});

test('an ended session as the password of an MQTT client is refused with the advice to use a key', async () => {
  const { id, secret } = await service.mintKey(['telemetry:write']);
  const { body } = await service.request('POST', '/v1/sessions', { token: null, body: { token: secret } });
  const session: string = body.token;
  await service.request('DELETE', '/v1/session', { token: session });
  await activityOf(id);
  await expect(
    mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { username: 'plug-2', password: session }, false),
  ).rejects.toThrow('Connection refused');
  const { refused } = await activityOf(id);
  expect(refused[0]).toMatchObject({
    detail: 'Connect with an API key as the password, not a session.',
  });
});

test('a message that is dropped for a client that does not read is not listed as refused', async () => {
  const reader = await service.mintKey(['telemetry:read', 'telemetry:write']);
  const sender = await service.mintKey(['telemetry:write']);
  await activityOf(sender.id);
  const connect = (clientId: string, password: string) =>
    mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
      protocolVersion: 5,
      clientId,
      username: clientId,
      password,
      properties: { receiveMaximum: 1 },
    });
  const subscriber = await connect('screen', reader.secret);
  // The first message is never acknowledged, so the others wait in the queue.
  subscriber.handleMessage = () => undefined;
  await subscriber.subscribeAsync('photos/#', { qos: 1 });
  const publisher = await connect('camera', sender.secret);
  const photo = Buffer.alloc(250_000);
  for (let i = 0; i < 70; i += 1) await publisher.publishAsync(`photos/${i}`, photo, { qos: 1 });
  await expect
    .poll(async () => (await service.request('GET', '/v1/events?type=mqtt.refused&limit=100')).body.data)
    .toContainEqual(
      expect.objectContaining({
        data: expect.objectContaining({ reason: 'queue-full', username: 'screen' }),
      }),
    );
  expect((await activityOf(sender.id)).refused).toEqual([]);
  subscriber.end(true);
  await publisher.endAsync();
});

test('without devices:read and pipelines:read, the activity names neither devices nor pipelines', async () => {
  await createPipeline('Sensors', 'sensors/#');
  const { id, secret } = await service.mintKey(['telemetry:write']);
  const manager = await service.mintKey(['api-keys:manage']);
  await activityOf(id, manager.secret);
  await service.request('POST', '/v1/telemetry', {
    token: secret,
    body: { samples: [{ device: 'pump', values: { a: 1, 'b c': 2 } }] },
  });
  expect(await activityOf(id, manager.secret)).toMatchObject({
    received: 2,
    rejected: 1,
    deviceCount: 1,
    devices: [],
    rejections: [],
    formats: [{ format: 'json', pipeline: null }],
  });
});

test('a key limited to one device is enough for Tasmota and Shelly, and its activity is that of the device', async () => {
  await createPipeline('Tasmota', 'tele/#');
  await createPipeline('Shelly', '+/events/rpc');
  const device = (await service.request('POST', '/v1/devices', { body: { name: 'meter-3' } })).body;
  const { id, secret } = await service.mintKey(['telemetry:write'], { devices: [device.id] });
  await activityOf(id);
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
    username: 'meter-3',
    password: secret,
  });
  const params = { ts: Date.now() / 1_000, 'switch:0': { id: 0, apower: 7.5 } };
  const notification = {
    src: 'shellyplus1pm-a8032ab12345',
    dst: 'meter-3/events',
    method: 'NotifyStatus',
    params,
  };
  await client.publishAsync('meter-3/events/rpc', JSON.stringify(notification), { qos: 1 });
  const sensor = { Time: new Date().toISOString(), ENERGY: { Power: 3.5 } };
  await client.publishAsync('tele/meter-3/SENSOR', JSON.stringify(sensor), { qos: 1 });
  await client.endAsync();
  const activity = await activityOf(id);
  expect(activity).toMatchObject({ rejected: 0, devices: [{ id: device.id }], rejections: [], unrouted: [] });
  const formats = activity.formats.map(({ format }: { format: string }) => format);
  expect(new Set(formats)).toEqual(new Set(['tasmota', 'shelly-rpc']));
});

test('writes over HTTP that are rejected are events with their sender, at most one a minute for each reason', async () => {
  const { id, secret } = await service.mintKey(['telemetry:write']);
  const write = (token: string, ts: number) =>
    service.request('POST', '/v1/telemetry', {
      token,
      body: { samples: [{ device: 'meter', ts, values: { power: 1 } }] },
    });
  const revoked = await service.mintKey(['telemetry:write'], { name: 'Gateway 4' });
  await service.request('DELETE', `/v1/api-keys/${revoked.id}`);
  const reader = await service.mintKey(['telemetry:read'], { name: 'Wall screen' });
  for (let attempt = 0; attempt < 3; attempt++) {
    await write(secret, Date.now() + 3_600_000);
    await write(revoked.secret, Date.now());
    await write(reader.secret, Date.now());
  }
  const events = async () => (await service.request('GET', '/v1/events?type=http.refused')).body.data;
  await expect
    .poll(async () => (await events()).map((event: { data: { reason: string } }) => event.data.reason))
    .toEqual(expect.arrayContaining(['ts-too-far-ahead', 'token-revoked', 'insufficient-scope']));
  const found = await events();
  const ofKey = (keyId: string) =>
    found.filter(({ subject }: { subject: { id: string } }) => subject.id === keyId);
  expect(ofKey(id)).toMatchObject([
    {
      subject: { type: 'api-key' },
      data: { reason: 'ts-too-far-ahead', from: '127.0.0.1', device: 'meter' },
    },
  ]);
  expect(ofKey(reader.id)).toMatchObject([
    {
      actor: { type: 'api-key', name: 'Wall screen' },
      data: { reason: 'insufficient-scope', from: '127.0.0.1' },
    },
  ]);
  expect(found).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        subject: expect.objectContaining({ type: 'http-client', name: '127.0.0.1' }),
        data: expect.objectContaining({
          reason: 'token-revoked',
          detail: 'The API key “Gateway 4” was revoked. Use another key.',
        }),
      }),
    ]),
  );
  expect(JSON.stringify(found)).not.toContain(revoked.secret);
});
