import mqtt, { type MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isInstalled } from './installed.ts';
import { PASSWORD, startMosquitto } from './mosquitto.ts';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let port: number;
let client: MqttClient;
let secret: string;
const connect = (username: string, password: string) =>
  mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { username, password, reconnectPeriod: 50 });
beforeAll(async () => {
  port = await freePort();
  service = await startTestService({
    env: { MQTT_PORT: String(port), ALLOWED_NETWORKS: '127.0.0.0/8' },
  });
  ({ secret } = await service.mintKey(['telemetry:write']));
  client = await connect('bridge', secret);
});
afterAll(async () => {
  await client.endAsync(true);
  await service.close();
});

const publish = (topic: string, payload: object | string, retain = false, by = client) =>
  by.publishAsync(topic, typeof payload === 'string' ? payload : JSON.stringify(payload), { qos: 1, retain });
const create = async (name: string, config: object): Promise<string> =>
  (
    await service.request('POST', '/v1/pipelines', {
      body: { name, type: 'mqtt', interval: 5, destination: 'telemetry', config },
    })
  ).body.id;
const ledgerOf = async (id: string) => (await service.request('GET', `/v1/pipelines/${id}`)).body.ledger;
const latestOf = async (device: string): Promise<[string, unknown, unknown][]> =>
  (await service.request('GET', `/v1/telemetry/latest?device=${device}`)).body.data.map(
    ({ metric, value, unit }: Record<string, unknown>) => [metric, value, unit],
  );
const discover = (object: string, more: object) => [`homeassistant/sensor/${object}/config`, more] as const;

describe('the embedded broker', () => {
  test('passes on the states that discovery names, and not those that it no longer names', async () => {
    const id = await create('Discovery', { topic: 'homeassistant/#' });
    await publish('office/state', { t: 1 });
    await publish(
      ...discover('office', { stat_t: 'office/state', val_tpl: '{{ value_json.t }}', unit_of_meas: '°C' }),
    );
    await publish('office/state', { t: 21.5 });
    expect(await latestOf('office')).toEqual([['sensor.office', 21.5, '°C']]);
    await publish('homeassistant/sensor/office/config', '{}');
    await publish('office/state', { t: 22 });
    expect(await latestOf('office')).toEqual([['sensor.office', 21.5, '°C']]);
    expect(await ledgerOf(id)).toMatchObject({ received: 3, delivered: 1, rejected: 0, skipped: 2 });
  });

  test('passes on what was retained before the pipeline was created, without old values', async () => {
    await publish('homie/early/$name', 'Early', true);
    await publish('homie/early/n/t/$unit', 'K', true);
    await publish('homie/early/n/t', '1', true);
    const id = await create('Homie, later', { topic: 'homie/#' });
    await expect.poll(async () => (await ledgerOf(id)).skipped).toBe(2);
    await publish('homie/early/n/t', '2');
    expect(await latestOf('early')).toEqual([['n.t', 2, 'K']]);
    const { body } = await service.request('GET', '/v1/devices?q=early');
    expect(body.data).toMatchObject([{ externalId: 'early', name: 'Early' }]);
  });
});

test('a pipeline knows what it has learned after a restart, and forgets it with its topic', async () => {
  const id = await create('Homie, restarted', { topic: 'plant/homie/#' });
  await publish('plant/homie/pump/n/serial/$datatype', 'string');
  await publish('plant/homie/pump/n/flow/$unit', 'l/min');
  await service.restart();
  await expect.poll(() => client.connected).toBe(true);
  await publish('plant/homie/pump/n/serial', '007');
  await publish('plant/homie/pump/n/flow', '4');
  expect((await latestOf('plant:pump')).toSorted()).toEqual([
    ['n.flow', 4, 'l/min'],
    ['n.serial', '007', null],
  ]);
  const preview = async () =>
    (
      await service.request('POST', '/v1/pipelines/preview', {
        body: { pipeline: id, topic: 'plant/homie/pump/n/serial', message: '008' },
      })
    ).body;
  expect(await preview()).toMatchObject({ samples: [{ values: { 'n.serial': '008' } }] });
  await service.request('PATCH', `/v1/pipelines/${id}`, { body: { config: { topic: 'plant/homie/+/#' } } });
  expect(await preview()).toMatchObject({ samples: [{ values: { 'n.serial': 8 } }] });
});

test('a key limited to a device cannot say how to read messages of another one', async () => {
  const id = await create('Limited', { topic: 'limited/#' });
  const { body } = await service.request('POST', '/v1/devices', { body: { name: 'own', externalId: 'own' } });
  const key = await service.mintKey(['telemetry:write'], { devices: [body.id] });
  const limited = await connect('own', key.secret);
  await publish(
    'limited/homeassistant/sensor/x/config',
    { stat_t: 'limited/x', dev: { ids: 'other' } },
    false,
    limited,
  );
  await publish('limited/homie/other/n/t/$unit', 'W', false, limited);
  await limited.endAsync();
  expect(await ledgerOf(id)).toMatchObject({ received: 2, rejected: 2 });
  await publish('limited/homie/other/n/t', '1');
  expect(await latestOf('limited:other')).toEqual([['n.t', 1, null]]);
});

describe.skipIf(!isInstalled('mosquitto'))('an external broker', () => {
  let broker: Awaited<ReturnType<typeof startMosquitto>>;
  let publisher: MqttClient;
  beforeAll(async () => {
    broker = await startMosquitto();
    publisher = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, {
      username: 'penstock',
      password: PASSWORD,
    });
  });
  afterAll(async () => {
    await publisher.endAsync(true);
    await broker.close();
  });

  test.each(['5', '3.1.1'])(
    'sends the retained configurations, the states that they name, and both after a restart (MQTT %s)',
    async (protocol) => {
      const device = `hall-${protocol.charAt(0)}`;
      await publish(...discover(device, { stat_t: `${device}/t`, unit_of_meas: 'K' }), true, publisher);
      await create(`External ${protocol}`, {
        url: `mqtt://127.0.0.1:${broker.port}`,
        username: 'penstock',
        password: PASSWORD,
        topic: `homeassistant/sensor/${device}/config`,
        protocol,
      });
      const value = async () => (await latestOf(device))[0]?.[1];
      const publishUntilStored = async (next: string) =>
        expect
          .poll(async () => {
            await publish(`${device}/t`, next, false, publisher);
            return value();
          })
          .toBe(Number(next));
      await publishUntilStored('281');
      await service.restart();
      await publishUntilStored('282');
    },
  );
});
