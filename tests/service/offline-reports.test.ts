import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let url: string;
let password: string;
beforeAll(async () => {
  const port = await freePort();
  service = await startTestService({ env: { MQTT_PORT: String(port) } });
  url = `mqtt://127.0.0.1:${port}`;
  password = (await service.mintKey(['telemetry:write'])).secret;
  for (const topic of [
    'tele/#',
    'stat/#',
    'zigbee2mqtt/#',
    'shellies/#',
    'homie/#',
    'rooms/+/#',
    'owntracks/+',
  ])
    await service.request('POST', '/v1/pipelines', {
      body: { name: topic, type: 'mqtt', interval: 5, destination: 'telemetry', config: { topic } },
    });
});
afterAll(() => service.close());

const deviceOf = async (externalId: string) => {
  const { body } = await service.request('GET', `/v1/devices?q=${externalId}`);
  return body.data.find((device: { externalId: string }) => device.externalId === externalId);
};
const latestOf = async (externalId: string): Promise<Record<string, unknown>> => {
  const { body } = await service.request('GET', `/v1/telemetry/latest?device=${externalId}`);
  return Object.fromEntries(
    body.data.map(({ metric, value }: { metric: string; value: unknown }) => [metric, value]),
  );
};

test.each([
  ['tele/plug-1/LWT', 'Offline', 'plug-1', { LWT: 'Offline' }],
  ['zigbee2mqtt/my_lamp/availability', '{"state":"offline"}', 'my_lamp', { availability: 'offline' }],
  ['homie/5/light/$state', 'lost', 'light', { state: 'lost' }],
  ['rooms/attic/status', 'offline', 'attic', { status: 'offline' }],
  ['rooms/cellar/online', 'false', 'cellar', { online: false }],
  ['owntracks/phone', '{"_type":"lwt","tst":1795253400}', 'phone', { _type: 'lwt' }],
])('%s %s is a metric, and does not mark the device as seen', async (topic, payload, device, values) => {
  const client = await mqtt.connectAsync(url, { username: 'bridge', password });
  await client.publishAsync(topic, payload, { qos: 1, retain: true });
  await client.endAsync();
  expect(await latestOf(device)).toEqual(values);
  expect(await deviceOf(device)).toMatchObject({ state: 'never-seen', lastSeenAt: null });
});

test('the last will of a Tasmota device, which the broker publishes, leaves its last seen as it was', async () => {
  const will = {
    topic: 'tele/tasmota-1/LWT',
    payload: Buffer.from('Offline'),
    qos: 1,
    retain: true,
  } as const;
  const client = await mqtt.connectAsync(url, {
    username: 'tasmota-1',
    password,
    will,
    reconnectPeriod: 0,
  });
  for (const [topic, payload] of [
    ['tele/tasmota-1/LWT', 'Online'],
    ['tele/tasmota-1/INFO1', '{"Info1":{"Module":"Generic","Version":"14.2.0(tasmota)"}}'],
    ['tele/tasmota-1/STATE', '{"POWER":"ON","Wifi":{"RSSI":74}}'],
    ['tele/tasmota-1/STATE', `{"Time":"${new Date().toISOString()}","POWER":"ON","Wifi":{"RSSI":74}}`],
    ['stat/tasmota-1/POWER', 'ON'],
  ] as const)
    await client.publishAsync(topic, payload, { qos: 1, retain: topic.endsWith('LWT') });
  expect(await latestOf('tasmota-1')).toMatchObject({ LWT: 'Online', POWER: 'ON', 'Wifi.RSSI': 74 });
  const lostAtMs = Date.now();

  client.stream.destroy();
  await expect.poll(() => latestOf('tasmota-1')).toMatchObject({ LWT: 'Offline' });
  // What was seen is written together, at the latest when a message registers a device.
  const other = await mqtt.connectAsync(url, { username: 'bridge', password });
  await other.publishAsync('rooms/kitchen/temperature', '21.5', { qos: 1 });
  await other.endAsync();
  const { lastSeenAt, state } = await deviceOf('tasmota-1');
  expect(state).toBe('online');
  expect(Date.parse(lastSeenAt)).toBeLessThanOrEqual(lostAtMs);
});

test('a message that comes in the same write as a last will marks the device as seen', async () => {
  const client = await mqtt.connectAsync(url, { username: 'bridge', password });
  await Promise.all(
    [
      ['rooms/hall/status', 'offline'],
      ['rooms/hall/temperature', '21.5'],
      ['rooms/porch/status', 'offline'],
    ].map(([topic = '', payload = '']) => client.publishAsync(topic, payload, { qos: 1 })),
  );
  await client.endAsync();
  expect(await deviceOf('hall')).toMatchObject({ state: 'online' });
  expect(await deviceOf('porch')).toMatchObject({ state: 'never-seen' });
});

test.each([
  ['tele/plug-9/SENSOR', 'plug-9'],
  ['tele/plug-8/LWT', 'plug-8'],
  ['zigbee2mqtt/lamp-9', 'lamp-9'],
  ['zigbee2mqtt/lamp-8/availability', 'lamp-8'],
  ['shellies/plug-7/info', 'plug-7'],
])(
  '%s that cannot be read is shown with its device, which it does not mark as seen',
  async (topic, externalId) => {
    const { body: device } = await service.request('POST', '/v1/devices', {
      body: { name: externalId, externalId },
    });
    const client = await mqtt.connectAsync(url, { username: 'bridge', password });
    await client.publishAsync(topic, '{"Time": nonsense', { qos: 1 });
    await client.endAsync();
    const { body } = await service.request('GET', `/v1/devices/${device.id}/messages`);
    expect(body.messages).toMatchObject([{ topic, rejected: 1, rejections: [{ reason: 'not-json' }] }]);
    expect(await deviceOf(externalId)).toMatchObject({ state: 'never-seen' });
  },
);
