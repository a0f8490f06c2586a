import mqtt from 'mqtt';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let mqttPort: number;
let id: string;
let number = 0;
beforeAll(async () => {
  mqttPort = await freePort();
  service = await startTestService({ env: { MQTT_PORT: String(mqttPort) } });
});
afterAll(() => service.close());
beforeEach(async () => {
  id = await createPipeline({});
});

const createPipeline = async (more: Record<string, unknown>): Promise<string> => {
  const { body } = await service.request('POST', '/v1/pipelines', {
    body: { name: `Preview ${++number}`, type: 'http', interval: 10, destination: 'telemetry', ...more },
  });
  return body.id;
};
const send = (body: unknown, query = '', of = id) =>
  service.request('POST', `/v1/pipelines/${of}/messages${query}`, { body });
const preview = (body: unknown, more = {}) =>
  service.request('POST', `/v1/pipelines/${id}/rejections/preview`, { body, ...more });
const replay = async (body: unknown) =>
  (await service.request('POST', `/v1/pipelines/${id}/rejections/replay`, { body })).body;
const change = (body: unknown) => service.request('PATCH', `/v1/pipelines/${id}`, { body });
const read = async () => (await service.request('GET', `/v1/pipelines/${id}`)).body;
const rejections = async () => (await service.request('GET', `/v1/pipelines/${id}/rejections`)).body.data;
const register = (externalId: string) =>
  service.request('POST', '/v1/devices', { body: { name: externalId, externalId } });
const devicesCalled = async (q: string) => (await service.request('GET', `/v1/devices?q=${q}`)).body.data;
const expression = (text: string) => ({ mapping: { format: 'expression', expression: text } });

describe('the preview of a replay', () => {
  test('predicts accepted and rejected samples with reasons, without any effect', async () => {
    await send('55;7');
    await send('56;8');
    await send('no number');
    const before = [(await read()).ledger, await rejections()];
    const corrected = expression(
      '$contains($, ";") ? { "device": "previewed", "values": { "a": $number($split($, ";")[0]) } } : { "values": { "a": 1 } }',
    );
    const { status, body } = await preview({ all: true, change: corrected });
    expect(status).toBe(200);
    const [{ id: failing, at }] = await rejections();
    expect(body).toEqual({
      total: 3,
      messages: 3,
      passed: 2,
      replayed: 2,
      rejected: 1,
      skipped: 0,
      reasons: [
        {
          reason: 'device-missing',
          detail: expect.stringContaining('device'),
          samples: 1,
          messages: 1,
          expression: null,
          example: { id: failing, message: 'no number', truncated: false, topic: null, defaultDevice: null },
        },
      ],
      samples: [
        { device: 'previewed', ts: expect.any(Number), values: { a: 55 } },
        { device: 'previewed', ts: expect.any(Number), values: { a: 56 } },
      ],
      nextCursor: null,
    });
    expect(body.samples[1].ts).toBeLessThanOrEqual(Date.parse(at));
    expect([(await read()).ledger, await rejections()], 'nothing has changed').toEqual(before);
    expect(await devicesCalled('previewed'), 'nobody was registered').toEqual([]);
    await change(corrected);
    expect(await replay({ all: true })).toMatchObject({ replayed: body.replayed, rejected: body.rejected });
    const { body: latest } = await service.request('GET', '/v1/telemetry/latest?device=previewed');
    expect(latest.data).toMatchObject([{ value: 56, ts: body.samples[1].ts }]);
  });

  test('considers the kinds of stored metrics, and of those that would be stored', async () => {
    await send({ device: 'kinds', values: { known: 1 } });
    id = await createPipeline({ config: { onUnknownDevice: 'reject' } });
    await send({ device: 'kinds', values: { known: 'text' } });
    await send({ device: 'not-yet-kinds', values: { fresh: 1 } });
    await send({ device: 'not-yet-kinds', values: { fresh: 'text' } });
    const asked = { all: true, change: { config: { onUnknownDevice: 'register' } } };
    const { body } = await preview(asked);
    expect(body).toMatchObject({
      replayed: 1,
      rejected: 2,
      reasons: [{ reason: 'kind-mismatch', samples: 2, messages: 2 }],
    });
    await change(asked.change);
    expect(await replay({ all: true })).toMatchObject({ replayed: 1, rejected: 2 });
  });

  test('counts only samples that a replay would add for a message stored in part', async () => {
    await send({ device: 'part', values: { a: 1, 'b b': 2 } });
    expect((await preview({ all: true })).body).toMatchObject({ replayed: 0, rejected: 1 });
    const corrected = expression('{ "device": device, "values": { "a": values.a, "b": values.`b b` } }');
    expect((await preview({ all: true, change: corrected })).body).toMatchObject({
      replayed: 1,
      rejected: 0,
    });
    await change(corrected);
    expect(await replay({ all: true })).toMatchObject({ replayed: 1, rejected: 0 });
  });

  test('counts other samples of a new mapping for a message stored in part, as does the replay', async () => {
    await send({ device: 'other', values: { w: 1, t: 21 } });
    await send({ device: 'other', values: { w: 2, t: 'hot' } });
    expect((await read()).ledger).toMatchObject({ received: 4, delivered: 3, pending: 0, rejected: 1 });
    const corrected = expression('{ "device": device, "values": { "t_text": $string(values.t) } }');
    // Without counts of repeats, as many samples as were delivered before count as repeats.
    const counted = service.service.parts.telemetry.countsRepeats ? 1 : 0;
    expect((await preview({ all: true, change: corrected })).body).toMatchObject({
      replayed: counted,
      rejected: 0,
      samples: [{ device: 'other', values: { t_text: 'hot' } }],
    });
    await change(corrected);
    expect(await replay({ all: true })).toMatchObject({ replayed: counted, rejected: 0 });
    const delivered = 3 + counted;
    expect((await read()).ledger).toMatchObject({ received: delivered, delivered, pending: 0, rejected: 0 });
  });

  test('covers one message, those with one reason, or all', async () => {
    id = await createPipeline({ config: { onUnknownDevice: 'reject' } });
    await send({ device: 'chosen', values: { a: 1 } });
    await send({ device: 'chosen', values: { a: 1, b: 2 } });
    await send('nonsense');
    await register('chosen');
    const [{ id: newest }] = await rejections();
    expect((await preview({ ids: [newest] })).body).toMatchObject({ total: 1, replayed: 0, rejected: 1 });
    expect((await preview({ reason: 'unknown-device' })).body).toMatchObject({
      total: 2,
      replayed: 3,
      rejected: 0,
    });
    expect((await preview({ all: true })).body).toMatchObject({ total: 3, replayed: 3, rejected: 1 });
    const ofDevice = { device: 'chosen' };
    expect((await preview({ all: true, ...ofDevice })).body).toMatchObject({ total: 2, replayed: 3 });
    expect((await preview({ reason: 'not-json', ...ofDevice })).body).toMatchObject({ total: 0 });
    for (const body of [
      {},
      ofDevice,
      { ids: [newest], ...ofDevice },
      { all: true, reason: 'not-json' },
      { ids: [] },
      { all: true, change: { nme: 'x' } },
    ])
      expect(await preview(body)).toMatchObject({ status: 422, body: { code: 'validation-failed' } });
  });

  test('suggests an expression for a message in an unknown format, which then maps it', async () => {
    await send('55;7', '?device=suggested');
    const { body } = await preview({ all: true });
    const [{ expression: suggested }] = body.reasons;
    expect(suggested).toContain('? { "values": { "value1": $number($trim($split($, ";")[0]))');
    expect((await preview({ all: true, change: expression(suggested) })).body).toMatchObject({
      passed: 1,
      rejected: 0,
    });
  });

  test('uses the device of the topic of the changed pipeline', async () => {
    id = await createPipeline({ type: 'mqtt', config: { topic: 'plant/#' } });
    const { secret } = await service.mintKey(['telemetry:write']);
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
      username: 'gateway',
      password: secret,
      reconnectPeriod: 0,
    });
    await client.publishAsync('plant/kiln-3/data', '{"heat": 900}', { qos: 1 });
    await client.endAsync();
    expect(await rejections()).toMatchObject([{ reason: 'device-missing', topic: 'plant/kiln-3/data' }]);
    const corrected = { config: { topic: 'plant/+/data' } };
    expect((await preview({ all: true, change: corrected })).body).toMatchObject({
      replayed: 1,
      samples: [{ device: 'kiln-3', values: { heat: 900 } }],
    });
    await change(corrected);
    expect(await replay({ all: true })).toMatchObject({ replayed: 1, rejected: 0 });
    const { body } = await service.request('GET', '/v1/telemetry/latest?device=kiln-3');
    expect(body.data).toMatchObject([{ metric: 'heat', value: 900 }]);
  });

  test('covers external destinations and spools nothing', async () => {
    await service.request('POST', '/v1/destinations', { body: { name: 'Preview files', type: 'file' } });
    id = await createPipeline({ destination: 'Preview files' });
    await send('21.5', '?device=to-file');
    const corrected = expression('{ "device": $device, "values": { "t": $ } }');
    expect((await preview({ all: true, change: corrected })).body).toMatchObject({
      replayed: 1,
      samples: [{ device: 'to-file', values: { t: 21.5 } }],
    });
    expect((await read()).ledger).toMatchObject({ received: 1, delivered: 0, pending: 0, rejected: 1 });
    expect(await devicesCalled('to-file')).toEqual([]);
  });

  test('continues with the cursor, even with an endless expression', async () => {
    const usual = service;
    service = await startTestService({ timeouts: { previewMs: 1 } });
    onTestFinished(async () => {
      await service.close();
      service = usual;
    });
    id = await createPipeline({});
    const total = 4;
    for (let n = 0; n < total; n += 1) await send(`"${'a'.repeat(30)}!"`);
    const endless = expression('/^(a+)+$/($)');
    const answers = [await preview({ all: true, change: endless })];
    const cursor = answers[0]!.body.nextCursor;
    for (let next = cursor; next !== null; next = answers.at(-1)!.body.nextCursor)
      answers.push(await preview({ all: true, change: endless, cursor: next }));
    expect(answers.length).toBeGreaterThan(1);
    const tried = answers.map(({ body }) => body.messages);
    expect(tried.reduce((sum, messages) => sum + messages, 0)).toBe(total);
    for (const { body } of answers)
      expect(body).toMatchObject({
        total,
        rejected: body.messages,
        reasons: [{ reason: 'expression-timeout', messages: body.messages }],
      });
    expect((await preview({ all: true, cursor })).status, 'of another pipeline').toBe(400);
    expect(await preview({ reason: 'not-json', cursor })).toMatchObject({
      status: 400,
      body: { code: 'cursor-mismatch' },
    });
  });

  test('of many quick messages is one response with the first samples in order', async () => {
    for (let n = 0; n < 45; n += 1) await send({ n, twice: 2 * n });
    const corrected = { config: { device: 'counter' } };
    const { body } = await preview({ all: true, change: corrected });
    expect(body).toMatchObject({ total: 45, messages: 45, replayed: 90, rejected: 0, nextCursor: null });
    expect(body.samples.map(({ values }: { values: unknown }) => values)).toEqual(
      Array.from({ length: 45 }, (_, n) => ({ n, twice: 2 * n })),
    );
  });

  test('reports that a message that is not stored whole stays rejected', async () => {
    await send(`{ "device": "long", "x": ${'1'.repeat(70_000)}`);
    expect(await rejections()).toMatchObject([{ whole: true, mapped: false }]);
    await service.service.parts.db.deleteFrom('whole_message').execute();
    expect(await rejections()).toMatchObject([{ whole: false, mapped: false }]);
    expect((await preview({ all: true })).body).toMatchObject({
      replayed: 0,
      rejected: 1,
      reasons: [{ reason: 'not-whole', samples: 1, messages: 1 }],
    });
  });

  test('respects the devices of the key of the sender, and requires pipelines:read', async () => {
    await register('limited-foreign');
    const own = (await register('limited-own')).body.id;
    const { secret } = await service.mintKey(['telemetry:write'], { devices: [own] });
    const message = { samples: ['limited-foreign', 'limited-own'].map((device) => ({ device, t: 1 })) };
    const path = `/v1/pipelines/${id}/messages`;
    await service.request('POST', path, { body: message, token: secret });
    const corrected = expression('samples.{ "device": device, "values": { "t": t } }');
    expect((await preview({ all: true, change: corrected })).body).toMatchObject({
      replayed: 1,
      rejected: 1,
      reasons: [{ reason: 'unknown-device' }],
      samples: [{ device: 'limited-own' }],
    });
    expect((await preview({ all: true }, { token: secret })).status).toBe(403);
  });

  test('of a draft, or of a change that would make one, is rejected with the problems', async () => {
    await send('nonsense');
    expect(await preview({ all: true, change: { destination: 'nowhere' } })).toMatchObject({
      status: 409,
      body: {
        code: 'invalid-state',
        detail: expect.stringMatching(
          /would become a draft with this change: .*There is no destination nowhere/,
        ),
        errors: [{ pointer: '/change/destination', detail: expect.any(String) }],
      },
    });
    expect((await preview({ all: true, change: expression('{') })).status).toBe(409);
    await change({ type: 'opc' });
    expect(await preview({ all: true })).toMatchObject({ status: 409, body: { code: 'invalid-state' } });
    const { body } = await preview({ all: true, change: { type: 'http' } });
    expect(body, 'accepted after the change').toMatchObject({ total: 1 });
  });
});
