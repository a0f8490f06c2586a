import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '#contract/sample-rules.ts';
import { httpPipelinesOf } from './http-pipelines.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const pipelines = httpPipelinesOf(() => service);
const { send, read, rejections } = pipelines;
const create = (expression: string, more: Record<string, unknown> = {}): Promise<string> =>
  pipelines.create({ mapping: { format: 'expression', expression }, ...more });

const WARM_ONLY = 't > 0 ? { "device": "filtered", "values": { "t": t } }';
const SKIPS = [
  ['nothing', WARM_ONLY],
  ['an empty list', 't > 0 ? { "device": "filtered", "values": { "t": t } } : []'],
  ['a body without samples', '{ "samples": t > 0 ? [{ "device": "filtered", "values": { "t": t } }] : [] }'],
  // JSONata omits fields without a value.
  [
    'a body whose samples are nothing',
    '{ "samples": $[t > 0].{ "device": "filtered", "values": { "t": t } } }',
  ],
] as const;

describe('a message for which an expression returns', () => {
  test.each(SKIPS)('%s is counted as skipped, and is not rejected', async (_, expression) => {
    const id = await create(expression);
    expect(await send(id, { t: 20 })).toEqual({
      received: 1,
      rejected: 0,
      skipped: 0,
      overwritten: 0,
      rejections: [],
    });
    for (let n = 0; n < 5; n += 1)
      expect(await send(id, { t: -1 })).toEqual({
        received: 1,
        rejected: 0,
        skipped: 1,
        overwritten: 0,
        rejections: [],
      });
    const { ledger, state } = await read(id);
    expect(ledger).toEqual({
      received: 6,
      delivered: 1,
      pending: 0,
      rejected: 0,
      skipped: 5,
      overwritten: 0,
    });
    expect(state).toBe('running');
    expect(await rejections(id)).toEqual([]);
  });

  test.each([
    ['null', 'null', 'expression-result', /To skip a message, return nothing or \[\]\. .* It returned null/],
    ['a function', 'function($x) { $x }', 'expression-error', /The result is a function/],
  ])('%s is still rejected', async (_, expression, reason, detail) => {
    const id = await create(expression);
    expect(await send(id, { t: 1 })).toMatchObject({ received: 1, rejected: 1, skipped: 0 });
    expect(await rejections(id)).toMatchObject([{ reason, detail: expect.stringMatching(detail) }]);
  });
});

describe('the last skipped message', () => {
  const lastSkipped = async (id: string) =>
    (await service.request('GET', `/v1/pipelines/${id}/messages/skipped`)).body.data;

  test('is the newest that an expression skipped', async () => {
    const id = await create(WARM_ONLY);
    await send(id, { t: 20 });
    expect(await lastSkipped(id)).toBeNull();
    await send(id, { t: -1 });
    await send(id, { t: -2 });
    await send(id, { t: 21 });
    expect(await lastSkipped(id)).toEqual({
      at: expect.stringMatching(/Z$/),
      message: '{"t":-2}',
      truncated: false,
      topic: null,
      device: null,
      reason: 'expression',
      format: 'expression',
    });
  });

  test.each([100, 2_000_000])('says that its metrics are left out, with %i characters', async (length) => {
    const id = await pipelines.create({ config: { device: 'left', exclude: ['noise*'] } });
    const message = { noise: 1, noise2: 'x'.repeat(length) };
    expect(await send(id, message)).toMatchObject({ received: 1, skipped: 1 });
    expect(await lastSkipped(id)).toMatchObject({ reason: 'metrics-left-out', format: 'flat' });
  });

  test('says that messages of its format have no samples', async () => {
    const id = await pipelines.create();
    const connected = {
      id: '1',
      topic: '/SUBSCRIPTIONS/1',
      subject: 'devices/pump-1',
      eventType: 'Microsoft.Devices.DeviceConnected',
      eventTime: '2026-01-01T00:00:00Z',
      data: { hubName: 'HUB', deviceId: 'pump-1', deviceConnectionStateEventInfo: {} },
    };
    expect(await send(id, [connected])).toMatchObject({ skipped: 1 });
    expect(await lastSkipped(id)).toMatchObject({ reason: 'no-samples', format: 'azure-iot' });
  });
});

test('a message without samples is rejected if it has no expression', async () => {
  const id = await create('', { mapping: { format: 'auto' } });
  expect(await send(id, { samples: [] })).toMatchObject({ received: 1, rejected: 1, skipped: 0 });
  expect(await rejections(id)).toMatchObject([{ reason: 'no-values' }]);
});

test('a pipeline with an external destination also skips', async () => {
  const { body } = await service.request('POST', '/v1/destinations', {
    body: { name: 'Files', type: 'file' },
  });
  const id = await create(WARM_ONLY, { destination: body.name });
  expect(await send(id, { t: -1 })).toMatchObject({ received: 1, skipped: 1 });
  expect((await read(id)).ledger).toMatchObject({ received: 1, delivered: 0, pending: 0, skipped: 1 });
});

describe('a preview of a message that the expression skips', () => {
  test('reports this, without samples or rejections', async () => {
    const preview = async (message: string) =>
      (
        await service.request('POST', '/v1/pipelines/preview', {
          body: { mapping: { format: 'expression', expression: WARM_ONLY }, message },
        })
      ).body;
    expect(await preview('{"t":-1}')).toMatchObject({
      format: 'expression',
      samples: [],
      rejections: [],
      skipped: true,
    });
    expect(await preview('{"t":1}')).toMatchObject({ skipped: false });
  });
});

describe('a rejected message that the expression skips when it is replayed', () => {
  const REJECTS = '$error("not yet")';
  const change = (id: string, expression: string) =>
    service.request('PATCH', `/v1/pipelines/${id}`, { body: { mapping: { expression } } });
  const ask = async (id: string, what: 'preview' | 'replay') =>
    (await service.request('POST', `/v1/pipelines/${id}/rejections/${what}`, { body: { all: true } })).body;

  test('is no longer a rejection but counted as skipped, as in its preview', async () => {
    const id = await create(REJECTS);
    for (const t of [-1, 5]) await send(id, { t });
    expect((await read(id)).ledger).toMatchObject({ received: 2, rejected: 2, skipped: 0 });
    await change(id, WARM_ONLY);
    expect(await ask(id, 'preview')).toMatchObject({ messages: 2, replayed: 1, rejected: 0, skipped: 1 });
    expect(await ask(id, 'replay')).toEqual({ replayed: 1, rejected: 0, skipped: 1 });
    expect(await rejections(id)).toEqual([]);
    expect((await read(id)).ledger).toMatchObject({
      received: 2,
      delivered: 1,
      pending: 0,
      rejected: 0,
      skipped: 1,
    });
    const { body } = await service.request('GET', '/v1/events?type=pipeline.replayed&limit=1');
    expect(body.data).toMatchObject([{ data: { replayed: 1, rejected: 0, skipped: 1 } }]);
  });

  test('counts once as skipped if it was delivered in part, and its stored samples stay', async () => {
    const id = await create('{ "device": "part", "ts": 1700000000000, "values": $ }');
    const tooLong = 'x'.repeat(LIMITS.textBytes + 1);
    await send(id, { a: 1, b: tooLong, c: tooLong });
    expect((await read(id)).ledger).toMatchObject({ received: 3, delivered: 1, rejected: 2 });
    await change(id, '[]');
    expect(await ask(id, 'replay')).toEqual({ replayed: 0, rejected: 0, skipped: 1 });
    expect((await read(id)).ledger).toMatchObject({ received: 2, delivered: 1, rejected: 0, skipped: 1 });
  });
});
