import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let mqttPort: number;
beforeAll(async () => {
  mqttPort = await freePort();
  service = await startTestService({ env: { MQTT_PORT: String(mqttPort) } });
});
afterAll(() => service.close());

let number = 0;
const create = async (expression: string | undefined, more: Record<string, unknown> = {}) => {
  const mapping = { format: 'expression', ...(expression === undefined ? {} : { expression }) };
  const { body } = await service.request('POST', '/v1/pipelines', {
    body: {
      name: `Mapped ${++number}`,
      type: 'http',
      interval: 10,
      destination: 'telemetry',
      mapping,
      ...more,
    },
  });
  return body;
};
const send = (id: string, body: unknown, query = '') =>
  service.request('POST', `/v1/pipelines/${id}/messages${query}`, { body });
const read = async (id: string) => (await service.request('GET', `/v1/pipelines/${id}`)).body;
const rejections = async (id: string) =>
  (await service.request('GET', `/v1/pipelines/${id}/rejections`)).body.data;

const TIME = 1_763_717_400_000;
const ENDLESS = '/^(a+)+$/("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")';

describe('a pipeline with an expression', () => {
  test('maps messages over HTTP, for the device in the URL', async () => {
    const { id, state } = await create('{ "device": $device, "values": { "temperature": t / 10 } }');
    expect(state).toBe('running');
    expect((await send(id, { t: 215 }, '?device=cellar')).body).toMatchObject({ received: 1, rejected: 0 });
    const latest = await service.request('GET', '/v1/telemetry/latest?device=cellar');
    expect(latest.body.data).toMatchObject([{ metric: 'temperature', value: 21.5 }]);
  });

  test('says that a message is not JSON if it found no fields in it', async () => {
    const { id } = await create('{ "device": "cellar", "values": { "temperature": t / 10 } }');
    await send(id, 'temperature is high');
    expect(await rejections(id)).toMatchObject([
      { reason: 'not-json', detail: expect.stringContaining('The message is not JSON') },
    ]);
  });

  test('rejects truncated JSON instead of skipping it, but skips other text', async () => {
    const { id } = await create('readings.{ "device": %.unit, "values": { "t": t } }');
    expect((await send(id, '{"unit":"cellar","readings":[{"t":2')).body).toMatchObject({
      rejected: 1,
      skipped: 0,
    });
    expect((await send(id, '[{"unit":"cellar","readi')).body).toMatchObject({ rejected: 1, skipped: 0 });
    expect((await send(id, '[info] started')).body).toMatchObject({ rejected: 0, skipped: 1 });
    expect((await send(id, { unit: 'cellar' })).body).toMatchObject({ rejected: 0, skipped: 1 });
    expect(await rejections(id)).toMatchObject([{ reason: 'not-json' }, { reason: 'not-json' }]);
  });

  test('leaves messages to the automatic detection by returning them, with their names, units and replays', async () => {
    const texts = '$type($) = "string" ? { "values": { "level": $number($substringAfter($, "=")) } } : $';
    const { id } = await create(texts, { config: { device: 'text-1' } });
    const uplink = {
      deviceInfo: { devEui: '0102030405060708', deviceName: 'Wine store' },
      object: { humidity: 40 },
    };
    const senml = [{ bn: 'urn:dev:mac:senml-1:', n: 'heat', u: 'Cel', v: 21 }];
    // More than one slice of a large message.
    const large = Array.from({ length: 2_000 }, (_, n) => ({ device: `large-${n % 7}`, n, ts: TIME + n }));
    expect((await send(id, 'level=7.5')).body).toMatchObject({ received: 1, rejected: 0 });
    expect((await send(id, uplink)).body).toMatchObject({ received: 1, rejected: 0 });
    expect((await send(id, senml)).body).toMatchObject({ received: 1, rejected: 0 });
    expect((await send(id, large)).body).toMatchObject({ received: 2_000, rejected: 0 });
    expect((await send(id, [1, 2])).body).toMatchObject({ received: 1, rejected: 1, skipped: 0 });
    expect((await read(id)).ledger).toMatchObject({ received: 2_004, delivered: 2_003, rejected: 1 });
    expect(await rejections(id)).toMatchObject([{ reason: 'unknown-format' }]);

    const { body: devices } = await service.request('GET', '/v1/devices?q=Wine');
    expect(devices.data).toMatchObject([{ externalId: '0102030405060708', name: 'Wine store' }]);
    const { body: latest } = await service.request('GET', '/v1/telemetry/latest?device=urn:dev:mac:senml-1');
    expect(latest.data).toMatchObject([{ metric: 'heat', unit: '°C', value: 21 }]);

    const change = { mapping: { expression: '$type($) = "array" ? { "values": { "first": $[0] } } : $' } };
    const replay = (what: string, more: object = {}) =>
      service.request('POST', `/v1/pipelines/${id}/rejections/${what}`, { body: { all: true, ...more } });
    expect((await replay('preview')).body).toMatchObject({ replayed: 0, rejected: 1 });
    expect((await replay('preview', { change })).body).toMatchObject({ replayed: 1, rejected: 0 });
    await service.request('PATCH', `/v1/pipelines/${id}`, { body: change });
    expect((await replay('replay')).body).toEqual({ replayed: 1, rejected: 0, skipped: 0 });
    expect((await read(id)).ledger).toMatchObject({ received: 2_004, delivered: 2_004, rejected: 0 });
  });

  test('maps messages over MQTT, by topic, before they are acknowledged', async () => {
    const expression = '{ "device": $split($topic, "/")[2], "values": { "level": $number($) } }';
    const { id } = await create(expression, { type: 'mqtt', config: { topic: 'tanks/north/#' } });
    const { secret } = await service.mintKey(['telemetry:write']);
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
      username: 'gateway',
      password: secret,
      reconnectPeriod: 0,
    });
    for (const level of [1, 2, 3]) await client.publishAsync('tanks/north/t7', ` ${level}.5\n`, { qos: 1 });
    const latest = await service.request('GET', '/v1/telemetry/latest?device=t7');
    expect(latest.body.data).toMatchObject([{ metric: 'level', value: 3.5 }]);
    expect((await read(id)).ledger).toMatchObject({ received: 3, delivered: 3, pending: 0, rejected: 0 });
    await client.endAsync();
  });

  test('rejects messages that it cannot map, each with its reason', async () => {
    const { id } = await create('$number(t) > 0 ? { "device": "d", "values": { "t": t } } : t');
    await send(id, { t: 1 });
    await send(id, { t: -1 });
    await send(id, { t: 'warm' });
    expect(await rejections(id)).toMatchObject([
      { reason: 'expression-error', message: '{"t":"warm"}', samples: 1 },
      { reason: 'expression-result', message: '{"t":-1}', samples: 1 },
    ]);
    expect((await read(id)).ledger).toMatchObject({ received: 3, delivered: 1, pending: 0, rejected: 2 });
  });

  test('with an endless expression does not stop others: every message is answered, and both ledgers balance', async () => {
    const bad = await create(ENDLESS);
    const good = await create('{ "device": "steady", "values": { "n": n } }');
    const plain = await create(undefined, { mapping: { format: 'auto' } });
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => send(bad.id, { n })),
      ...Array.from({ length: 20 }, (_, n) => send(good.id, { n })),
      ...Array.from({ length: 20 }, (_, n) => send(plain.id, { device: 'plain', values: { n } })),
    ]);
    expect(answers.map(({ body }) => [body.received, body.rejected].join())).toEqual([
      ...Array(20).fill('1,1'),
      ...Array(40).fill('1,0'),
    ]);
    expect((await read(bad.id)).ledger).toMatchObject({
      received: 20,
      delivered: 0,
      pending: 0,
      rejected: 20,
    });
    expect((await read(good.id)).ledger).toMatchObject({
      received: 20,
      delivered: 20,
      pending: 0,
      rejected: 0,
    });
    for (const { reason } of await rejections(bad.id)) expect(reason).toBe('expression-timeout');
  });
});

describe('an invalid expression', () => {
  test.each([
    [undefined, 'Must not be empty'],
    ['  ', 'Must not be empty'],
    ['{ "values": ', 'At character 12: Expected "}" before end of expression'],
    ['a b', 'At character 3: Syntax error: "b"'],
    ['('.repeat(16_000), 'Nests too deeply'],
  ])('(%#) makes the pipeline a draft with the position of the error', async (expression, detail) => {
    const { state, problems } = await create(expression);
    expect(state).toBe('draft');
    expect(problems).toEqual([{ pointer: '/mapping/expression', detail: expect.stringContaining(detail) }]);
  });

  test('is fixed by a change of the mapping, which is merged', async () => {
    const { id } = await create('1 +');
    const change = async (mapping: unknown) =>
      (await service.request('PATCH', `/v1/pipelines/${id}`, { body: { mapping } })).body;
    expect(await change({ expression: '{ "device": "d", "values": { "n": n } }' })).toMatchObject({
      state: 'running',
      problems: [],
      mapping: { format: 'expression' },
    });
    expect((await send(id, { n: 1 })).body).toMatchObject({ received: 1, rejected: 0 });
    expect(await change({ format: 'auto' })).toMatchObject({
      mapping: { format: 'auto', expression: '{ "device": "d", "values": { "n": n } }' },
    });
    expect(await change({ expression: null })).toMatchObject({ mapping: { format: 'auto' } });
    expect((await change({ format: 'expression' })).state).toBe('draft');
  });

  test('longer than 16,384 characters is rejected', async () => {
    const body = { name: 'Long', type: 'http', interval: 10, destination: 'telemetry' };
    const mapping = { format: 'expression', expression: ' '.repeat(16_385) };
    const answer = await service.request('POST', '/v1/pipelines', { body: { ...body, mapping } });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: '/mapping/expression' }] } });
  });
});

describe('a preview with an expression', () => {
  const preview = async (expression: string | undefined, message: string) => {
    const mapping = { format: 'expression', ...(expression === undefined ? {} : { expression }) };
    const topic = 'v1/devices/boiler-7/telemetry';
    return (await service.request('POST', '/v1/pipelines/preview', { body: { mapping, message, topic } }))
      .body;
  };

  test('shows the samples', async () => {
    expect(await preview('{ "values": { "t": t / 10 } }', '{"t":215}')).toEqual({
      format: 'expression',
      samples: [{ device: 'boiler-7', values: { t: 21.5 } }],
      registered: [],
      rejections: [],
      skipped: false,
      noValues: 0,
      leftOut: [],
      timeZone: null,
      unnamed: [],
      mistimed: [],
    });
  });

  test.each([
    ['1 +', 'expression-error', 'Unexpected end of expression'],
    [undefined, 'expression-error', 'Must not be empty'],
    ['$uppercase(7)', 'expression-error', 'At character 11'],
    ['t', 'expression-result', 'It returned 215'],
    [ENDLESS, 'expression-timeout', 'limit of 100 ms'],
  ])('describes the error of %s', async (expression, reason, detail) => {
    expect(await preview(expression, '{"t":215}')).toMatchObject({
      samples: [],
      rejections: [{ reason, detail: expect.stringContaining(detail) }],
    });
  });
});

test('a service that stops while expressions run rejects waiting messages, and stops immediately', async () => {
  const own = await startTestService();
  const { body } = await own.request('POST', '/v1/pipelines', {
    body: {
      name: 'Slow',
      type: 'http',
      interval: 10,
      destination: 'telemetry',
      mapping: { format: 'expression', expression: ENDLESS },
    },
  });
  const answers = Array.from({ length: 3 }, () =>
    own.request('POST', `/v1/pipelines/${body.id}/messages`, { body: {} }).then(
      ({ status }) => status,
      () => 'closed',
    ),
  );
  await answers[0];
  await own.close();
  for (const answer of await Promise.all(answers)) expect([202, 503, 'closed']).toContain(answer);
});
