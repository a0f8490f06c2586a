import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { RecentPreview } from '#contract/recent-messages.ts';
import { createDeviceMessageCache } from '#service/pipelines/ingest/device-message-cache.ts';
import { httpPipelinesOf } from './http-pipelines.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let id: string;
beforeAll(async () => {
  // Comparisons end early on a busy machine.
  service = await startTestService({ timeouts: { previewMs: 20_000 } });
});
afterAll(() => service.close());
beforeEach(async () => {
  id = await pipelines.create();
});

const pipelines = httpPipelinesOf(() => service);
const send = (body: unknown, query = '') =>
  service.request('POST', `/v1/pipelines/${id}/messages${query}`, { body });
const ask = (change: unknown) =>
  service.request('POST', `/v1/pipelines/${id}/messages/preview`, { body: { change } });
const preview = async (change: unknown): Promise<RecentPreview> => (await ask(change)).body;
const expression = (text: string) => ({ mapping: { format: 'expression', expression: text } });

test('a change is compared on the last accepted message of each device, without any effect', async () => {
  const sendOf = (device: string, values: unknown) => send({ device, values });
  await sendOf('same', { temp: 1 });
  await sendOf('other', { temp: 1 });
  await sendOf('other', { temp: 300 });
  await sendOf('quiet', { temp: 2, debug: true });
  await sendOf('broken', { temp: 3, 'bad name': 1 });
  await sendOf('same', { temp: 1, 'bad name': 1 });
  const { ledger } = await pipelines.read(id);
  const change = expression(
    'values.debug ? [] : { "device": device, "values": { "temp": values.temp > 200 ? values.temp / 10 : values.temp } }',
  );
  const result = await preview(change);
  expect(result).toMatchObject({ total: 3, messages: 3, same: 1, different: 1, rejected: 0, skipped: 1 });
  expect(result.changed.map(({ device, outcome }) => [device, outcome])).toEqual([
    ['quiet', 'skipped'],
    ['other', 'different'],
  ]);
  const ts = expect.any(Number);
  expect(result.changed[1]).toMatchObject({
    message: '{"device":"other","values":{"temp":300}}',
    missing: [{ device: 'other', ts, values: { temp: 300 } }],
    added: [{ device: 'other', ts, values: { temp: 30 } }],
  });
  expect((await pipelines.read(id)).ledger).toEqual(ledger);
});

test('samples of another kind than those stored would be rejected', async () => {
  await send({ device: 'kind', values: { temp: 21 } });
  const result = await preview(
    expression('{ "device": device, "values": { "temp": $string(values.temp) } }'),
  );
  expect(result).toMatchObject({ messages: 1, same: 0, rejected: 1 });
  expect(result.changed).toMatchObject([
    { device: 'kind', outcome: 'rejected', detail: expect.stringContaining('number'), added: [] },
  ]);
});

test('the device that the sender named is that of messages without one only', async () => {
  await send({ temp: 1 }, '?device=named');
  await send({ device: 'own', values: { temp: 1 } });
  const result = await preview(expression('{ "device": $device, "values": { "temp": 1 } }'));
  expect(result).toMatchObject({ same: 1, rejected: 1 });
  expect(result.changed).toMatchObject([{ device: 'own', defaultDevice: null, outcome: 'rejected' }]);
  const other = await preview(expression('{ "values": { "temp": 2 } }'));
  expect(other.changed).toContainEqual(expect.objectContaining({ device: 'named', defaultDevice: 'named' }));
});

test('a changed default device of the pipeline applies to messages that named none', async () => {
  id = await pipelines.create({ config: { device: 'before-1' } });
  await send({ temp: 1 });
  await send({ temp: 1 }, '?device=sent-1');
  const result = await preview({ config: { device: 'after-1' } });
  expect(result).toMatchObject({ same: 1, different: 1 });
  expect(result.changed).toMatchObject([
    { device: 'before-1', defaultDevice: null, added: [{ device: 'after-1', values: { temp: 1 } }] },
  ]);
});

test('messages that are rejected for the same reason, or skipped, are one entry with their devices', async () => {
  for (const device of ['a-1', 'a-2', 'a-3', 'a-4']) await send({ device, values: { temp: 1 } });
  for (const device of ['b-1', 'b-2']) await send({ device, values: { temp: -1 } });
  const result = await preview(expression('values.temp < 0 ? [] : $number($split($, ";")[0])'));
  expect(result).toMatchObject({ messages: 6, rejected: 4, skipped: 2 });
  expect(result.changed).toMatchObject([
    {
      outcome: 'rejected',
      device: 'a-4',
      messages: 4,
      devices: ['a-4', 'a-3', 'a-2'],
      reason: 'expression-error',
      detail: expect.stringContaining('$split does not accept an object as its first argument.'),
    },
    { outcome: 'skipped', messages: 2, devices: ['b-2', 'b-1'], reason: null, detail: null },
  ]);
});

test('the last message of the pipeline is compared even if it is long or has several devices', async () => {
  const text = 'x'.repeat(1_000);
  const values = { a: text, b: text, c: text };
  await send({ samples: ['rack-1', 'rack-2'].map((device) => ({ device, values })) });
  expect(await preview({ enabled: true })).toMatchObject({ messages: 1, same: 1 });
  const { changed } = await preview(expression('samples[device = "rack-1"]'));
  expect(changed).toMatchObject([{ device: null, outcome: 'different', added: [] }]);
  expect(changed[0]?.missing.map(({ device }) => device)).toEqual(['rack-2', 'rack-2', 'rack-2']);
});

test('at most 50 messages are compared, with the last one of the pipeline', async () => {
  for (let n = 1; n <= 50; n += 1) await send({ device: `unit-${n}`, values: { temp: n } });
  await send({ samples: ['unit-1', 'unit-2'].map((device) => ({ device, values: { temp: 0 } })) });
  const result = await preview(expression('samples ? samples[0] : $'));
  expect(result).toMatchObject({ total: 50, messages: 50, same: 49, different: 1 });
});

test('a preview without time ends early, even if the pipeline rejects all messages without the change', async () => {
  const hurried = await startTestService({ timeouts: { previewMs: 0 } });
  onTestFinished(() => hurried.close());
  const own = httpPipelinesOf(() => hurried);
  id = await own.create();
  for (const device of ['one', 'two', 'three']) await own.send(id, { device, values: { temp: 1 } });
  const rejecting = expression('{ "device": device, "values": { "bad name": 1 } }');
  await hurried.request('PATCH', `/v1/pipelines/${id}`, { body: rejecting });
  const { body } = await hurried.request('POST', `/v1/pipelines/${id}/messages/preview`, {
    body: { change: { mapping: { format: 'auto' } } },
  });
  expect(body.messages).toBe(0);
  // Messages that were tried and rejected do not count.
  expect(body.total).toBeGreaterThan(0);
});

test('messages whose samples go to an external destination are compared too', async () => {
  await service.request('POST', '/v1/destinations', {
    body: { name: 'Recent file', type: 'file' },
  });
  id = await pipelines.create({ destination: 'Recent file' });
  await send({ device: 'routed', values: { temp: 1 } });
  const change = expression('{ "device": device, "values": { "t": values.temp } }');
  expect(await preview(change)).toMatchObject({ messages: 1, different: 1 });
});

test('a pipeline without messages has nothing to compare, and a change to a draft is refused', async () => {
  expect(await preview({ name: 'Renamed' })).toMatchObject({ total: 0, messages: 0, changed: [] });
  expect(await ask({ destination: 'nowhere' })).toMatchObject({
    status: 409,
    body: { code: 'invalid-state', errors: [{ pointer: '/change/destination' }] },
  });
});

test('the latest messages of thousands of devices are chosen', () => {
  const cache = createDeviceMessageCache();
  const bytes = Buffer.from('{}');
  for (let n = 0; n < 5_000; n += 1)
    cache.saveMessage(
      'pip',
      `d-${n}`,
      { bytes, topic: null, device: undefined },
      { atMs: (n * 7) % 5_000, samples: 1, rejected: n % 2 },
    );
  const latest = cache.latestAccepted('pip', 50).map(({ atMs }) => atMs);
  expect(latest).toHaveLength(50);
  const accepted = Array.from({ length: 2_500 }, (_, index) => (2 * index * 7) % 5_000);
  expect(latest).toEqual(accepted.toSorted((a, b) => b - a).slice(0, 50));
});
