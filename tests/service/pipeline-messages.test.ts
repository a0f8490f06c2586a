import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';
import { startWithMqtt } from './start-with-mqtt.ts';

let service: TestService;
let id: string;
let number = 0;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  id = await createPipeline({});
});

const createPipeline = async (more: Record<string, unknown>): Promise<string> => {
  const { body } = await service.request('POST', '/v1/pipelines', {
    body: { name: `Pipeline ${++number}`, type: 'http', interval: 10, destination: 'telemetry', ...more },
  });
  return body.id;
};
const send = (body: unknown, query = '', more = {}) =>
  service.request('POST', `/v1/pipelines/${id}/messages${query}`, { body, ...more });
const ledger = async () => (await service.request('GET', `/v1/pipelines/${id}`)).body.ledger;
const rejections = async (query = '') =>
  (await service.request('GET', `/v1/pipelines/${id}/rejections${query}`)).body;
/** The address of a server with this content. */
const pollAddress = async (content: string): Promise<string> => {
  const server = createServer((_, response) => response.end(content)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};
const registerDevice = async (externalId: string): Promise<string> =>
  (await service.request('POST', '/v1/devices', { body: { name: externalId, externalId } })).body.id;

describe('the last message', () => {
  const last = async (ofId = id) => service.request('GET', `/v1/pipelines/${ofId}/messages/last`);

  test('is the newest one, accepted or rejected, with the device of its sender', async () => {
    expect((await last()).body).toEqual({ data: null });
    await send('{"temp": 1}', '?device=last-1');
    expect((await last()).body.data).toMatchObject({
      message: '{"temp": 1}',
      truncated: false,
      topic: null,
      device: 'last-1',
      at: expect.stringMatching(/Z$/),
    });
    await send('not JSON');
    expect((await last()).body.data).toMatchObject({ message: 'not JSON', device: null });
  });

  test('is cut to 64 KiB, and ends with its pipeline', async () => {
    await send(`{"text": "${'x'.repeat(100_000)}"}`);
    const { data } = (await last()).body;
    expect([data.message.length, data.truncated]).toEqual([65_536, true]);
    await service.request('DELETE', `/v1/pipelines/${id}`);
    expect((await last()).status).toBe(404);
  });
});

describe('rejections name their sender', () => {
  test('with the key and its name, counts by reason too, and a replay by someone else keeps them', async () => {
    const mint = async (name: string) => {
      const { id: keyId, secret } = await service.mintKey(['telemetry:write'], { name });
      return { token: secret, sender: { type: 'api-key', id: keyId, name } };
    };
    const gateway = await mint('Gateway 1');
    const other = await mint('Gateway 2');
    await send('not JSON', '', { token: gateway.token });
    await send('not JSON either', '', { token: gateway.token });
    await send('nor this', '', { token: other.token });
    await send({ device: 'a', values: { temp: [1] } }, '', { token: other.token });
    const sent = async () => (await rejections()).data.map(({ sender }: { sender: unknown }) => sender);
    const expected = [other, other, gateway, gateway].map(({ sender }) => ({ ...sender, username: null }));
    expect(await sent()).toEqual(expected);
    expect((await rejections('?groupBy=reason')).data).toMatchObject([
      {
        reason: 'not-json',
        count: 3,
        messages: 3,
        senders: [gateway.sender, other.sender],
        senderCount: 2,
      },
      { reason: 'invalid-value', count: 1, messages: 1, senders: [other.sender], senderCount: 1 },
    ]);
    await service.request('POST', `/v1/pipelines/${id}/rejections/replay`, { body: { all: true } });
    expect((await rejections()).data[0].attempts).toBe(2);
    expect(await sent()).toEqual(expected);
  });

  test('with the MQTT user name', async () => {
    const { service: broker, client, close } = await startWithMqtt();
    try {
      const { body: pipeline } = await broker.request('POST', '/v1/pipelines', {
        body: {
          name: 'Gateways',
          type: 'mqtt',
          interval: 10,
          destination: 'telemetry',
          config: { topic: 'plant/#' },
        },
      });
      await client.publishAsync('plant/1', 'not JSON', { qos: 1 });
      const { body } = await broker.request('GET', `/v1/pipelines/${pipeline.id}/rejections`);
      expect(body.data).toMatchObject([{ sender: { type: 'api-key', username: 'bridge' } }]);
    } finally {
      await close();
    }
  });
});

describe('rejections name their device', () => {
  test('from the message, the sender or the topic, and are counted and filtered by it', async () => {
    await send({ device: 'dev-a', values: { temp: [1, 2] } });
    await send({ device: 'dev-a', values: { temp: [1], flow: [2] } });
    await send('not JSON', '?device=dev-b');
    await send({
      samples: [
        { device: 'dev-a', values: { t: [1] } },
        { device: 'dev-b', values: { t: [1] } },
      ],
    });
    const { data } = await rejections();
    expect(data.map(({ device }: { device: unknown }) => device)).toEqual([null, 'dev-b', 'dev-a', 'dev-a']);
    const groups = (await rejections('?groupBy=device')).data;
    expect(
      groups.map(({ device, reason, count }: Record<string, unknown>) => [device, reason, count]),
    ).toEqual([
      ['dev-a', 'invalid-value', 3],
      [null, 'invalid-value', 2],
      ['dev-b', 'not-json', 1],
    ]);
    expect((await rejections('?device=dev-b')).data).toMatchObject([
      { message: 'not JSON', device: 'dev-b' },
    ]);
  });

  test('unless the text is no external ID', async () => {
    await send('not JSON', `?device=${encodeURIComponent('a/b#\u0000')}`);
    await send({ device: 'x'.repeat(200), values: { temp: 1 } });
    const { data } = await rejections();
    for (const { device } of data) expect(device).toBeNull();
  });
});

describe('a message', () => {
  test('without a timestamp loses no value to others within the same millisecond', async () => {
    const count = 50;
    const answers = await Promise.all(
      Array.from({ length: count }, (_, n) => send({ device: 'quick', values: { n } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 202));
    const { body } = await service.request('POST', '/v1/telemetry/query', {
      body: { devices: ['quick'], metrics: ['n'], from: Date.now() - 3_600_000, to: Date.now() + 60_000 },
    });
    expect(body.series[0].value.toSorted((a: number, b: number) => a - b)).toEqual(
      Array.from({ length: count }, (_, n) => n),
    );
  });

  test('becomes telemetry of the device that it names, which is registered if new', async () => {
    const { status, body } = await send({ device: 'pump-1', values: { flow: 3.5, on: true } });
    expect(status).toBe(202);
    expect(body).toMatchObject({ received: 2, rejected: 0 });
    const latest = await service.request('GET', '/v1/telemetry/latest?device=pump-1');
    expect(latest.body.data).toMatchObject([
      { externalId: 'pump-1', metric: 'flow', value: 3.5 },
      { externalId: 'pump-1', metric: 'on', value: true },
    ]);
    expect(await ledger()).toMatchObject({ received: 2, delivered: 2, pending: 0, rejected: 0 });
  });

  test('without a device belongs to ?device=, otherwise to the device of the config', async () => {
    id = await createPipeline({ config: { device: 'by-config' } });
    await send({ a: 1 });
    await send({ a: 1 }, '?device=by-query');
    const { body } = await service.request('GET', '/v1/devices?q=by-');
    expect(body.data.map(({ externalId }: { externalId: string }) => externalId).toSorted()).toEqual([
      'by-config',
      'by-query',
    ]);
  });

  test.each([
    ['ChirpStack', '?event=up'],
    [
      'ThingPark',
      '?LrnDevEui=0018B20000000B20&LrnFPort=2&LrnInfos=TWA_1&AS_ID=penstock&Time=2026-11-27T10:00:00.000%2B01:00&Token=ab12',
    ],
  ])('is taken with the query parameters that %s adds', async (_, query) => {
    const { status, body } = await send({ device: 'd', values: { a: 1 } }, query);
    expect([status, body]).toMatchObject([202, { received: 1, rejected: 0 }]);
    expect((await send({ a: 1 }, '?devise=d')).body.code).toBe('invalid-parameter');
  });

  test('can have any media type, and is rejected and stored if it cannot be read', async () => {
    for (const type of [
      'text/plain',
      'application/json',
      'application/octet-stream',
      'application/x-www-form-urlencoded',
    ]) {
      const { status, body } = await send('temp=21', '?device=d', { headers: { 'content-type': type } });
      expect([status, body]).toMatchObject([202, { received: 1, rejected: 1 }]);
    }
    const good = await send('{"temp": 21}', '?device=d', { headers: { 'content-type': 'text/plain' } });
    expect(good.body).toMatchObject({ received: 1, rejected: 0 });
    const { data } = await rejections();
    expect(data).toHaveLength(4);
    expect(data[0]).toMatchObject({
      reason: 'not-json',
      message: 'temp=21',
      topic: null,
      attempts: 1,
      samples: 1,
    });
  });

  test('that is empty counts as one rejected value', async () => {
    const { status, body } = await send('');
    expect([status, body]).toMatchObject([202, { received: 1, rejected: 1 }]);
    expect((await rejections()).data).toMatchObject([{ reason: 'empty-message', message: '' }]);
  });

  test('of more than 5 MiB is rejected', async () => {
    const answer = await send('x'.repeat(5 * 1_048_576 + 1));
    expect(answer).toMatchObject({ status: 413, body: { code: 'body-too-large' } });
    expect(await ledger()).toMatchObject({ received: 0 });
  });

  test('with more samples than one write is stored completely', async () => {
    const samples = Array.from({ length: 12_000 }, (_, index) => ({
      device: 'dense',
      ts: 1_700_000_000_000 + index,
      values: { a: index, b: -index },
    }));
    expect((await send({ samples })).body).toMatchObject({ received: 24_000, rejected: 0 });
    expect(await ledger()).toMatchObject({ received: 24_000, delivered: 24_000, pending: 0, rejected: 0 });
  });

  test('that is repeated is accepted, and nothing is stored twice', async () => {
    const message = { device: 'again', ts: 1_700_000_000_000, values: { a: 1 } };
    await send(message);
    expect((await send(message)).body).toMatchObject({ received: 1, rejected: 0 });
    expect(await ledger()).toMatchObject({ received: 2, delivered: 2, pending: 0, rejected: 0 });
  });
});

describe('samples that are rejected one by one', () => {
  test('are listed in the rejections with reason, detail and message', async () => {
    await send({ device: 'mixed', values: { temp: 21 } });
    const message = { device: 'mixed', values: { temp: 'warm', 'a b': 1, list: [1], fine: 2 } };
    expect((await send(message)).body).toMatchObject({ received: 4, rejected: 3 });
    const { data } = await rejections();
    expect(
      data
        .map(({ reason, detail, samples }: Record<string, string>) => [
          reason,
          detail?.split(':')[0],
          samples,
        ])
        .toSorted(),
    ).toEqual([
      ['invalid-metric', 'a b', 1],
      ['invalid-value', 'list', 1],
      ['kind-mismatch', 'temp', 1],
    ]);
    for (const { message: kept } of data) expect(JSON.parse(kept)).toEqual(message);
    expect(await ledger()).toMatchObject({ received: 5, delivered: 2, pending: 0, rejected: 3 });
  });

  test('include all samples of an object with an invalid timestamp or device', async () => {
    await send({
      samples: [
        { device: 'a b', values: { x: 1, y: 2 } },
        { device: 'ok', ts: 'yesterday', values: { x: 1 } },
        { device: 'ok', ts: Date.now() + 3_600_000, values: { x: 1 } },
        { values: { x: 1 } },
      ],
    });
    const { data } = await rejections('?groupBy=reason');
    expect(data.map(({ reason, count }: Record<string, unknown>) => [reason, count])).toEqual([
      ['invalid-device', 2],
      ['device-missing', 1],
      ['invalid-ts', 1],
      ['ts-too-far-ahead', 1],
    ]);
  });

  test('include those of unknown devices if the pipeline registers none', async () => {
    id = await createPipeline({ config: { onUnknownDevice: 'reject' } });
    expect((await send({ device: 'stranger', values: { a: 1, b: 2 } })).body).toMatchObject({
      received: 2,
      rejected: 2,
    });
    expect((await rejections()).data).toMatchObject([{ reason: 'unknown-device', samples: 2 }]);
  });
});

test('the first 64 KiB of a long message are stored, with whole characters only', async () => {
  await send(`x${'é'.repeat(40_000)}`);
  const { message } = (await rejections()).data[0];
  expect(Buffer.byteLength(message)).toBe(65_535);
  expect(message).not.toContain('\ufffd');
});

test('rejections are paged newest first, filtered by reason, and can be deleted', async () => {
  for (const text of ['one', 'two', 'three']) await send(text);
  await send('{}', '?device=d');
  const first = await rejections('?limit=2');
  const second = await rejections(`?limit=2&cursor=${first.nextCursor}`);
  expect([...first.data, ...second.data].map(({ message }) => message)).toEqual([
    '{}',
    'three',
    'two',
    'one',
  ]);
  expect((await rejections('?reason=no-values')).data).toHaveLength(1);
  const { status, body } = await service.request('DELETE', `/v1/pipelines/${id}/rejections`);
  expect([status, body]).toEqual([200, { discarded: 4 }]);
  expect((await rejections()).data).toEqual([]);
  expect(await ledger()).toMatchObject({ received: 4, delivered: 0, pending: 0, rejected: 4 });
});

describe('a pipeline that does not accept messages over HTTP', () => {
  test.each([
    ['paused', { enabled: false }],
    ['a draft', { type: 'unheard-of' }],
    ['of another type', { type: 'mqtt' }],
  ])('rejects messages while it is %s', async (_, more) => {
    id = await createPipeline(more);
    expect(await send({ a: 1 }, '?device=d')).toMatchObject({ status: 409, body: { code: 'invalid-state' } });
  });

  test('accepts them again after it is resumed', async () => {
    await service.request('PATCH', `/v1/pipelines/${id}`, { body: { enabled: false } });
    expect((await send({ a: 1 }, '?device=d')).status).toBe(409);
    await service.request('PATCH', `/v1/pipelines/${id}`, { body: { enabled: true } });
    expect((await send({ a: 1 }, '?device=d')).status).toBe(202);
  });

  test('does not exist', async () => {
    id = 'pip_01jz3k5v8cf6n9qw2r4t7y0abd';
    expect((await send({ a: 1 })).status).toBe(404);
  });
});

describe('a key', () => {
  test('requires telemetry:write', async () => {
    const { secret } = await service.mintKey(['telemetry:read']);
    expect((await send({ a: 1 }, '?device=d', { token: secret })).status).toBe(403);
  });

  test('limited to devices sends only for these, by ID or external ID', async () => {
    const [own, other] = [await registerDevice('own-1'), await registerDevice('other-1')];
    const { secret } = await service.mintKey(['telemetry:write'], { devices: [own] });
    const samples = ['own-1', own, 'other-1', other, 'new-1'].map((device, index) => ({
      device,
      ts: 1_700_000_000_000 + index,
      values: { a: index },
    }));
    expect((await send({ samples }, '', { token: secret })).body).toMatchObject({ received: 5, rejected: 3 });
    expect((await rejections()).data).toMatchObject([{ reason: 'unknown-device', samples: 3 }]);
    expect((await service.request('GET', '/v1/devices?q=new-1')).body.data).toEqual([]);
    const latest = await service.request('GET', '/v1/telemetry/latest?device=own-1');
    expect(latest.body.data).toMatchObject([{ value: 1 }]);
  });

  test('that registers a device is named in the event', async () => {
    const { secret } = await service.mintKey(['telemetry:write'], { name: 'Gateway key' });
    await send({ a: 1 }, '?device=seen-first', { token: secret });
    const [device] = (await service.request('GET', '/v1/devices?q=seen-first')).body.data;
    const events = await service.request('GET', `/v1/events?subject=${device.id}`);
    expect(events.body.data.at(-1)).toMatchObject({
      type: 'device.registered',
      actor: { name: 'Gateway key' },
    });
  });
});

describe('a preview', () => {
  const preview = (body: unknown) => service.request('POST', '/v1/pipelines/preview', { body });

  test('names the registered devices in the message, if the key can read devices', async () => {
    const register = async (externalId: string) =>
      (await service.request('POST', '/v1/devices', { body: { name: externalId, externalId } })).body.id;
    const [kept, deleted] = [await register('oven-1'), await register('oven-2')];
    await service.request('DELETE', `/v1/devices/${deleted}`);
    const message = JSON.stringify([
      { at: 'oven-1', peers: ['oven-2', 'oven-3', kept], note: 'oven-1 is hot', count: 4 },
      { deep: { er: 'oven-1' } },
    ]);
    expect((await preview({ message })).body.registered).toEqual(['oven-1', kept]);
    expect((await preview({ message: 'oven-1' })).body.registered).toEqual([]);
    const nested = `${'['.repeat(30_000)}"oven-1"${']'.repeat(30_000)}`;
    expect((await preview({ message: nested })).body.registered).toEqual(['oven-1']);
    const { secret: token } = await service.mintKey(['pipelines:read']);
    const limited = { token, body: { message } };
    expect((await service.request('POST', '/v1/pipelines/preview', limited)).body.registered).toEqual([]);
  });

  test('returns the format, the samples and the rejections, and stores nothing', async () => {
    const message = JSON.stringify({ temp: 21, note: 'a'.repeat(2_000) });
    const { body } = await preview({ message, topic: 'v1/devices/boiler-7/telemetry' });
    expect(body).toMatchObject({
      format: 'flat',
      samples: [{ device: 'boiler-7', values: { temp: 21 } }],
      rejections: [{ reason: 'invalid-value' }],
    });
    expect((await service.request('GET', '/v1/devices?q=boiler-7')).body.data).toEqual([]);
  });

  test('rejects the timestamps that the pipeline would reject', async () => {
    const now = Date.now();
    const message = JSON.stringify([
      { ts: now + 86_400_000, values: { temp: 21 } },
      { ts: now - 1_000, values: { temp: 22 } },
    ]);
    const { body } = await preview({ message, topic: 'v1/devices/boiler-7/telemetry' });
    expect(body).toMatchObject({
      samples: [{ device: 'boiler-7', ts: now - 1_000, values: { temp: 22 } }],
      rejections: [{ reason: 'ts-too-far-ahead' }],
    });
    const { body: sent } = await send(JSON.parse(message), '?device=boiler-7');
    expect(sent).toMatchObject({ received: 2, rejected: 1 });
  });

  test('applies the retention to the built-in store only', async () => {
    const limited = await startTestService({
      env: { RETENTION_DAYS: '30', ALLOWED_NETWORKS: '127.0.0.0/8' },
    });
    onTestFinished(() => limited.close());
    const config = { url: await pollAddress('{"device":"boiler-7","ts":"2020-01-01T00:00:00Z","temp":21}') };
    await limited.request('POST', '/v1/destinations', {
      body: { name: 'Archive', type: 'file', options: { folder: 'archive' } },
    });
    const ask = async (destination: string) => {
      const body = { name: 'History', type: 'http-poll', interval: 10, destination, config };
      const { body: tested } = await limited.request('POST', '/v1/pipelines/test', { body });
      const { body: previewed } = await limited.request('POST', '/v1/pipelines/preview', {
        body: { destination, message: tested.message.message },
      });
      const mapping = tested.steps.find(({ step }: { step: string }) => step === 'mapping');
      return [mapping.ok, previewed.samples.length, previewed.rejections.length];
    };
    expect(await ask('Telemetry')).toEqual([false, 0, 1]);
    expect(await ask('Archive')).toEqual([true, 1, 0]);
  });

  test('finds the device by the topic of the pipeline’s config', async () => {
    const { body } = await preview({
      message: '{"t":1}',
      topic: 'site/north/meter-3',
      config: { topic: 'site/north/+' },
    });
    expect(body.samples).toEqual([{ device: 'meter-3', values: { t: 1 } }]);
  });

  test('finds the device by the subject of NATS', async () => {
    const given = { type: 'nats', message: '{"t":1}', config: { subject: 'site.*.data' } };
    const { body } = await preview({ ...given, topic: 'site.kiln-3.data' });
    expect(body.samples).toEqual([{ device: 'kiln-3', values: { t: 1 } }]);
    const { body: other } = await preview({ ...given, topic: 'elsewhere.kiln-3.data' });
    expect(other.rejections).toMatchObject([{ reason: 'device-missing' }]);
  });

  test('of an unreadable message has no format', async () => {
    expect((await preview({ message: '<xml/>' })).body).toMatchObject({
      format: null,
      samples: [],
      rejections: [{ reason: 'not-json' }],
    });
  });
});

describe('a message of another system', () => {
  test('is detected, and its device gets the name from the message', async () => {
    const uplink = {
      deviceInfo: { devEui: '70b3d57ed0000001', deviceName: 'Cold store 2' },
      object: { temperature: -18.5 },
      rxInfo: [{ rssi: -91, snr: 7 }],
    };
    expect((await send(uplink)).body).toMatchObject({ received: 3, rejected: 0 });
    const { data } = (await service.request('GET', '/v1/devices?q=70b3d57ed0000001')).body;
    expect(data).toMatchObject([{ externalId: '70b3d57ed0000001', name: 'Cold store 2' }]);
  });

  test('without a device name uses the external ID as name', async () => {
    const uplink = { deviceInfo: { devEui: '70b3d57ed0000002', deviceName: 'a\u202eb\0' }, object: { t: 1 } };
    await send(uplink);
    const { data } = (await service.request('GET', '/v1/devices?q=70b3d57ed0000002')).body;
    expect(data).toMatchObject([{ name: '70b3d57ed0000002' }]);
  });

  test('in Prometheus text belongs to a device named after the pipeline', async () => {
    id = await createPipeline({ name: 'Node exporter' });
    const headers = { 'content-type': 'text/plain; version=0.0.4' };
    expect((await send('# TYPE up gauge\nup{job="node"} 1\n', '', { headers })).body.rejected).toBe(0);
    const latest = await service.request('GET', '/v1/telemetry/latest?device=node-exporter');
    expect(latest.body.data).toMatchObject([{ metric: 'up.job.node', value: 1 }]);
    const preview = await service.request('POST', '/v1/pipelines/preview', {
      body: { message: 'up 1', name: 'Node exporter' },
    });
    expect(preview.body).toMatchObject({
      format: 'prometheus',
      samples: [{ device: 'node-exporter', values: { up: 1 } }],
      rejections: [],
      skipped: false,
    });
  });
});
