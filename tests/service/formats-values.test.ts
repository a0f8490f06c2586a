import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWithMqtt, type ServiceWithMqtt } from './start-with-mqtt.ts';

let service: ServiceWithMqtt['service'];
let client: ServiceWithMqtt['client'];
let close: ServiceWithMqtt['close'];
beforeAll(async () => {
  ({ service, client, close } = await startWithMqtt());
});
afterAll(() => close());

const preview = async (filter: string, topic: string, message: string, config: object = {}) =>
  (
    await service.request('POST', '/v1/pipelines/preview', {
      body: { type: 'mqtt', config: { topic: filter, ...config }, topic, message },
    })
  ).body;

describe('a single value on a topic', () => {
  test.each([
    ['21.5', 21.5],
    ['-3', -3],
    ['+5.0', 5],
    ['007', 7],
    ['"21.5"', 21.5],
    ['true', true],
    ['False', false],
    ['ON', 'ON'],
    ['offline', 'offline'],
    ['"open"', 'open'],
  ])('%s is the value of the metric that the rest of the topic names', async (message, value) => {
    expect(await preview('home/+/#', 'home/kitchen/climate/state', message)).toMatchObject({
      format: 'topic-value',
      samples: [{ device: 'kitchen', values: { 'climate.state': value } }],
      rejections: [],
    });
  });

  test.each(['nan', 'NaN', 'unavailable', 'unknown', 'null', 'None', '', '[]'])(
    '%j is no value: it is not counted',
    async (message) => {
      expect(await preview('home/+/temp', 'home/kitchen/temp', message)).toMatchObject({
        format: 'topic-value',
        samples: [],
        rejections: [],
        noValues: 1,
      });
    },
  );

  test.each([
    ['[true, false]', { 'inputs.0': true, 'inputs.1': false }, []],
    ['[1, null, 2.5]', { 'inputs.0': 1, 'inputs.2': 2.5 }, []],
    ['["battery", "sensor"]', undefined, ['inputs']],
  ])('can be a list, as in a field of an object: %s', async (message, values, leftOut) => {
    expect(await preview('home/+/#', 'home/kitchen/inputs', message)).toMatchObject({
      format: 'topic-value',
      samples: values === undefined ? [] : [{ device: 'kitchen', values }],
      skipped: values === undefined,
      rejections: [],
      leftOut,
    });
  });

  test.each([
    ['home/+/temp', 'home/kitchen/temp', {}, { device: 'kitchen', values: { temp: 1 } }],
    ['+/+/temp', 'home/kitchen/temp', {}, { device: 'home', values: { 'kitchen.temp': 1 } }],
    ['home/#', 'home/kitchen/temp', { device: 'house' }, { device: 'house', values: { 'kitchen.temp': 1 } }],
  ])('of the filter %s is named by %s', async (filter, topic, config, sample) => {
    expect((await preview(filter, topic, '1', config)).samples).toEqual([sample]);
  });

  test.each([
    ['sensors/+', 'sensors/kitchen', '21.5', {}],
    ['home/#', 'home/kitchen/temp', '21.5', {}],
    ['home/temp', 'home/temp', '21.5', { device: 'house' }],
    ['v1/devices/+/telemetry', 'v1/devices/kitchen/telemetry', '21.5', {}],
    ['home/+/mode', 'home/kitchen/mode', 'heating', {}],
    ['home/+/temp', 'home/kitchen/temp', '21.5,48', {}],
  ])('is rejected with an expression where the filter %s does not say what %s is: %s', async (...given) => {
    const [filter, topic, message, config] = given;
    const { format, samples, rejections } = await preview(filter, topic, message, config);
    expect([format, samples]).toEqual([null, []]);
    expect(rejections).toMatchObject([{ expression: expect.stringContaining('values') }]);
  });

  test('is received, counted and previewed alike', async () => {
    const { body: pipeline } = await service.request('POST', '/v1/pipelines', {
      body: {
        name: 'Values',
        type: 'mqtt',
        interval: 5,
        destination: 'telemetry',
        config: { topic: 'house/+/#' },
      },
    });
    for (const [topic, payload] of [
      ['house/attic/temperature', '21.5'],
      ['house/attic/light/state', 'ON'],
      ['house/attic/humidity', 'unavailable'],
      ['house/attic/mode', 'heating'],
    ] as const)
      await client.publishAsync(topic, payload, { qos: 1 });
    const { body } = await service.request('GET', `/v1/pipelines/${pipeline.id}`);
    expect(body.ledger).toMatchObject({ received: 3, delivered: 2, rejected: 1, skipped: 0 });
    const { body: latest } = await service.request('GET', '/v1/telemetry/latest?device=attic');
    expect(latest.data).toMatchObject([
      { metric: 'light.state', value: 'ON' },
      { metric: 'temperature', value: 21.5 },
    ]);
    const replay = await service.request('POST', `/v1/pipelines/${pipeline.id}/rejections/replay`, {
      body: { all: true },
    });
    expect(replay.body).toMatchObject({ replayed: 0, rejected: 1 });
  });

  test('rejected under another filter is stored by a replay with a filter that names the metric', async () => {
    const { body: pipeline } = await service.request('POST', '/v1/pipelines', {
      body: {
        name: 'Barn',
        type: 'mqtt',
        interval: 5,
        destination: 'telemetry',
        config: { topic: 'barn/#' },
      },
    });
    await client.publishAsync('barn/north/temperature', '3.5', { qos: 1 });
    await service.request('PATCH', `/v1/pipelines/${pipeline.id}`, {
      body: { config: { topic: 'barn/+/#' } },
    });
    const replay = await service.request('POST', `/v1/pipelines/${pipeline.id}/rejections/replay`, {
      body: { all: true },
    });
    expect(replay.body).toMatchObject({ replayed: 1, rejected: 0 });
    const { body } = await service.request('GET', '/v1/telemetry/latest?device=north');
    expect(body.data).toMatchObject([{ metric: 'temperature', value: 3.5 }]);
  });
});
