import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWithMqtt, type ServiceWithMqtt } from './start-with-mqtt.ts';

let service: ServiceWithMqtt['service'];
let client: ServiceWithMqtt['client'];
let close: ServiceWithMqtt['close'];
beforeAll(async () => {
  ({ service, client, close } = await startWithMqtt());
});
afterAll(() => close());

const publish = (topic: string, payload: object | string) =>
  client.publishAsync(topic, typeof payload === 'string' ? payload : JSON.stringify(payload), { qos: 1 });
const create = async (name: string, config: object): Promise<string> =>
  (
    await service.request('POST', '/v1/pipelines', {
      body: { name, type: 'mqtt', interval: 5, destination: 'telemetry', config },
    })
  ).body.id;
const ledgerOf = async (id: string) => (await service.request('GET', `/v1/pipelines/${id}`)).body.ledger;
const preview = async (topicFilter: string, topic: string, message: object | string) =>
  (
    await service.request('POST', '/v1/pipelines/preview', {
      body: {
        type: 'mqtt',
        config: { topic: topicFilter },
        topic,
        message: typeof message === 'string' ? message : JSON.stringify(message),
      },
    })
  ).body;
const valuesOf = async (device: string): Promise<Record<string, unknown>> => {
  const { body } = await service.request('GET', `/v1/telemetry/latest?device=${device}`);
  return Object.fromEntries(
    body.data.map(({ metric, value }: { metric: string; value: unknown }) => [metric, value]),
  );
};

describe('a pipeline of everything that Zigbee2MQTT publishes', () => {
  test('stores what devices report, and skips what the bridge reports, however long', async () => {
    const id = await create('Zigbee', { topic: 'zigbee2mqtt/#' });
    await publish('zigbee2mqtt/Living room/Lamp', { state: 'ON', brightness: 215 });
    await publish('zigbee2mqtt/Living room/Lamp/availability', { state: 'online' });
    await publish('zigbee2mqtt/bridge/state', { state: 'online' });
    const device = { ieee_address: '0x00158d00018255df', type: 'Router', supported: true };
    await publish(
      'zigbee2mqtt/bridge/devices',
      Array.from({ length: 500 }, () => device),
    );
    await publish('zigbee2mqtt/Living room/Lamp', '');
    expect(await ledgerOf(id)).toMatchObject({ received: 6, delivered: 3, rejected: 0, skipped: 3 });
    expect(await valuesOf('living-room:lamp')).toEqual({
      state: 'ON',
      brightness: 215,
      availability: 'online',
    });
    const { body } = await service.request('GET', '/v1/devices?q=Living%20room');
    expect(body.data).toMatchObject([{ externalId: 'living-room:lamp', name: 'Living room/Lamp' }]);
  });

  test('previews both with the name of the format', async () => {
    expect(await preview('zigbee2mqtt/#', 'zigbee2mqtt/lamp', { state: 'ON' })).toMatchObject({
      format: 'zigbee2mqtt',
      samples: [{ device: 'lamp', values: { state: 'ON' } }],
      skipped: false,
    });
    expect(await preview('zigbee2mqtt/#', 'zigbee2mqtt/bridge/info', { version: '2.0.0' })).toMatchObject({
      format: 'zigbee2mqtt',
      samples: [],
      rejections: [],
      skipped: true,
    });
  });
});

describe('a pipeline of Tasmota devices', () => {
  test('takes units from the message', async () => {
    await create('Tasmota', { topic: 'tele/#' });
    await publish('tele/cellar/SENSOR', {
      AM2301: { Temperature: 68 },
      TempUnit: 'F',
      Time: '1970-01-01T00:00:09',
    });
    const { body } = await service.request('GET', '/v1/telemetry/latest?device=cellar');
    expect(body.data).toMatchObject([{ metric: 'AM2301.Temperature', value: 68, unit: '°F' }]);
  });

  test('stores the samples of messages with names of object properties, and their stated units as text', async () => {
    const id = await create('Tasmota, hostile', { topic: 'hostile/tele/SENSOR' });
    const Time = '1970-01-01T00:00:09';
    await publish('hostile/tele/SENSOR', { Time, TempUnit: 'toString', AM2301: { Temperature: 5 } });
    await publish('hostile/tele/SENSOR', { Time, ENERGY: { toString: 5, valueOf: { Power: 1 } } });
    await publish('hostile/tele/SENSOR', { Time, TempUnit: '\0', DS18B20: { Temperature: 6 } });
    expect(await ledgerOf(id)).toMatchObject({ received: 5, delivered: 4, rejected: 1 });
    const { body } = await service.request('GET', '/v1/telemetry/latest?device=hostile');
    const stored = body.data.map(({ metric, value, unit }: Record<string, unknown>) => [metric, value, unit]);
    expect(stored.toSorted()).toEqual([
      ['AM2301.Temperature', 5, 'toString'],
      ['DS18B20.Temperature', 6, null],
      ['ENERGY.toString', 5, null],
      ['ENERGY.valueOf.Power', 1, null],
    ]);
  });

  test('in another time zone rejects them until it is set, and a replay stores their times', async () => {
    const id = await create('Tasmota abroad', { topic: '+/tele/STATE' });
    const now = Math.floor(Date.now() / 1_000) * 1_000;
    const Time = new Date(now - 5 * 3_600_000).toISOString().slice(0, 19);
    await publish('abroad/tele/STATE', { Time, POWER: 'ON' });
    expect(await ledgerOf(id)).toMatchObject({ received: 1, rejected: 1 });
    const { body } = await service.request('GET', `/v1/pipelines/${id}/rejections`);
    expect(body.data).toMatchObject([{ reason: 'ts-zone' }]);
    await service.request('PATCH', `/v1/pipelines/${id}`, {
      body: { config: { topic: '+/tele/STATE', timeZone: 'Etc/GMT+5' } },
    });
    const replay = await service.request('POST', `/v1/pipelines/${id}/rejections/replay`, {
      body: { all: true },
    });
    expect(replay.body).toMatchObject({ replayed: 1, rejected: 0 });
    const latest = await service.request('GET', '/v1/telemetry/latest?device=abroad');
    expect(latest.body.data).toMatchObject([{ metric: 'POWER', value: 'ON', ts: now }]);
  });
});

test('a command or an announcement is skipped, and a broken message is rejected', async () => {
  const id = await create('Shelly', { topic: 'shellies/#' });
  await publish('shellies/announce', { id: 'shelly1pm-84CCA8', mac: '84CCA8000000' });
  await publish('shellies/shelly1pm-84CCA8/relay/0', 'on');
  await publish('shellies/shelly1pm-84CCA8/info', '{"relays": [');
  expect(await ledgerOf(id)).toMatchObject({ received: 3, delivered: 1, rejected: 1, skipped: 1 });
});
