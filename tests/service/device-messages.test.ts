import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { DeviceMessages } from '#contract/device-messages.ts';
import { deviceScopes } from '#contract/scope.ts';
import { createDeviceMessageCache } from '#service/pipelines/ingest/device-message-cache.ts';
import { startTestService, type TestService } from './start-test-service.ts';
import { httpPipelinesOf } from './http-pipelines.ts';

let service: TestService;
let stoppedAtMs: number | undefined;
beforeAll(async () => {
  service = await startTestService({ now: () => stoppedAtMs ?? Date.now() });
});
afterAll(() => service.close());

const pipelines = httpPipelinesOf(() => service);
const register = async (externalId: string): Promise<string> =>
  (await service.request('POST', '/v1/devices', { body: { name: externalId, externalId } })).body.id;
const send = (pipelineId: string, body: unknown, query = '') =>
  service.request('POST', `/v1/pipelines/${pipelineId}/messages${query}`, { body });
const messagesOf = async (deviceId: string): Promise<DeviceMessages> =>
  (await service.request('GET', `/v1/devices/${deviceId}/messages`)).body;

test('a device has the last message of each pipeline and its rejected ones, newest first', async () => {
  const device = await register('boiler-1');
  expect(await messagesOf(device)).toMatchObject({ pipelines: [], messages: [] });
  const [first, second] = [await pipelines.create(), await pipelines.create()];
  await send(first, { device: 'boiler-1', values: { temp: 1 } });
  await send(first, { device: device, values: { temp: 2 } });
  await send(second, 'not JSON', '?device=boiler-1');
  await send(second, { device: 'boiler-1', values: { temp: 3, flow: [1] } });
  await send(second, { device: 'boiler-2', values: { temp: 4 } });

  const { pipelines: known, messages } = await messagesOf(device);
  expect(known).toMatchObject([
    { id: second, rejected: 2, lastRejectedAt: expect.any(String), lastMessageAt: expect.any(String) },
    { id: first, rejected: 0, lastRejectedAt: null, lastMessageAt: expect.any(String) },
  ]);
  expect(messages.map(({ pipelineId, message, samples }) => [pipelineId, message, samples])).toEqual([
    [second, '{"device":"boiler-1","values":{"temp":3,"flow":[1]}}', 2],
    [second, 'not JSON', 1],
    [first, JSON.stringify({ device, values: { temp: 2 } }), 1],
  ]);
  expect(messages.map(({ rejections }) => rejections.map(({ reason }) => reason))).toEqual([
    ['invalid-value'],
    ['not-json'],
    [],
  ]);
});

test('a message of several devices counts for the pipeline, but is not shown as a message of one', async () => {
  const [one, other] = [await register('valve-1'), await register('valve-2')];
  const id = await pipelines.create();
  await send(id, { samples: ['valve-1', 'valve-2'].map((device) => ({ device, values: { open: true } })) });
  for (const device of [one, other])
    expect(await messagesOf(device)).toMatchObject({ pipelines: [{ id, rejected: 0 }], messages: [] });
});

test('a message that names a device by its ID is rejected under its external ID', async () => {
  const device = await register('pump-1');
  const id = await pipelines.create();
  await send(id, { device, values: { flow: [1] } });
  const { pipelines: known, messages } = await messagesOf(device);
  expect(known).toMatchObject([{ id, rejected: 1 }]);
  expect(messages).toMatchObject([{ rejected: 1, rejections: [{ reason: 'invalid-value' }] }]);
  expect(await pipelines.rejections(id)).toMatchObject([{ device: 'pump-1' }]);
});

test('a rejected message is shown as rejected, also if another pipeline has the latest rejections', async () => {
  const device = await register('pump-2');
  const [quiet, busy] = [await pipelines.create(), await pipelines.create()];
  await send(quiet, { device: 'pump-2', values: { temp: 1, flow: [1] } });
  for (let n = 0; n < 20; n += 1) await send(busy, { device: 'pump-2', values: { flow: [n] } });
  const { messages } = await messagesOf(device);
  const ofQuiet = messages.filter(({ pipelineId }) => pipelineId === quiet);
  expect(ofQuiet).toMatchObject([{ samples: 2, rejected: 1, rejections: [] }]);
});

test('an accepted message is shown besides one that was rejected in the same millisecond', async () => {
  const device = await register('pump-3');
  const id = await pipelines.create();
  const accepted = { device: 'pump-3', values: { flow: 1 } };
  stoppedAtMs = Date.now();
  await send(id, { device: 'pump-3', values: { flow: [1] } });
  await send(id, accepted);
  stoppedAtMs = undefined;
  const { messages } = await messagesOf(device);
  expect(new Set(messages.map(({ at }) => at)).size).toBe(1);
  expect(messages).toMatchObject([{ message: JSON.stringify(accepted), rejected: 0 }, { rejected: 1 }]);
});

test('a long message is cut to 4 KiB, and ends with its pipeline', async () => {
  const device = await register('meter-1');
  const id = await pipelines.create();
  const samples = Array.from({ length: 3_000 }, (_, n) => ({
    device: 'meter-1',
    ts: 1_760_000_000 + n,
    values: { 'a-é': n },
  }));
  await send(id, { samples });
  const [cut] = (await messagesOf(device)).messages;
  expect(cut).toMatchObject({ truncated: true, samples: 3_000 });
  expect(JSON.stringify({ samples }).startsWith(cut!.message)).toBe(true);
  expect(4_096 - Buffer.byteLength(cut!.message)).toBeOneOf([0, 1]);
  await send(id, 'x'.repeat(5_000), '?device=meter-1');
  const [rejected] = (await messagesOf(device)).messages;
  expect([rejected?.message, rejected?.truncated]).toEqual(['x'.repeat(4_096), true]);
  await send(id, `${'x'.repeat(4_094)}🌡`, '?device=meter-1');
  const [multibyte] = (await messagesOf(device)).messages;
  expect([multibyte?.message, multibyte?.truncated]).toEqual(['x'.repeat(4_094), true]);
  await service.request('DELETE', `/v1/pipelines/${id}`);
  expect(await messagesOf(device)).toMatchObject({ pipelines: [], messages: [] });
});

test('rejections of a large message belong to the device that all of its samples name', async () => {
  const [device, other] = [await register('meter-2'), await register('meter-3')];
  const id = await pipelines.create();
  const samples = Array.from({ length: 3_000 }, (_, n) => ({
    device: 'meter-2',
    ts: 1_760_000_000 + n,
    values: { temp: n, flow: n === 0 ? [n] : n },
  }));
  await send(id, { samples });
  expect((await messagesOf(device)).messages).toMatchObject([
    { samples: 6_000, rejected: 1, truncated: true },
  ]);
  expect(await pipelines.rejections(id)).toMatchObject([{ device: 'meter-2' }]);
  await send(id, { samples: [...samples, { device: 'meter-3', values: { temp: 1 } }] });
  expect((await messagesOf(other)).messages).toEqual([]);
  expect((await pipelines.rejections(id))[0].device).toBeNull();
});

test('a key limited to devices, and one without pipelines:read, read no messages', async () => {
  const device = await register('fan-1');
  for (const { secret: token } of [
    await service.mintKey([...deviceScopes], { devices: [device] }),
    await service.mintKey(['devices:read', 'telemetry:read']),
  ]) {
    const { status, body } = await service.request('GET', `/v1/devices/${device}/messages`, { token });
    expect([status, body.code]).toEqual([403, 'insufficient-scope']);
  }
  await service.request('DELETE', `/v1/devices/${device}`);
  expect((await service.request('GET', `/v1/devices/${device}/messages`)).status).toBe(404);
});

describe('the cache of messages', () => {
  const CACHE_BYTES = 16 * 1_048_576;
  const createCache = () => {
    const cache = createDeviceMessageCache();
    return {
      save: (device: string, topic: string | null = null, pipelineId = 'pip_1') =>
        cache.saveMessage(
          pipelineId,
          device,
          { bytes: Buffer.alloc(4_096, 'x'), topic, device: undefined },
          { atMs: 1, samples: 1, rejected: 0 },
        ),
      has: (device: string) => cache.lastMessages([device]).size > 0,
      delete: cache.delete,
    };
  };
  const nameOf = (n: number) => `device-${n}`;
  const numbersTo = (count: number) => [...Array(count).keys()];

  it('drops the messages of the longest-silent devices first', () => {
    const cache = createCache();
    for (const n of numbersTo(10_000)) {
      cache.save('active');
      cache.save(nameOf(n));
    }
    expect([nameOf(0), nameOf(9_999), 'active'].map(cache.has)).toEqual([false, true, true]);
  });

  it('stays within its size when devices send again', () => {
    const cache = createCache();
    for (let count = 1_000; count <= 10_000; count += 1_000)
      for (const n of numbersTo(count)) cache.save(nameOf(n));
    const cached = numbersTo(10_000).map(nameOf).filter(cache.has).length;
    expect(cached).toBeGreaterThan(1_000);
    expect(cached).toBeLessThanOrEqual(CACHE_BYTES / 4_096);
  });

  it('counts the topics of messages', () => {
    const cache = createCache();
    const topic = 't'.repeat(60_000);
    for (const n of numbersTo(1_000)) cache.save(nameOf(n), topic);
    const cached = numbersTo(1_000).map(nameOf).filter(cache.has).length;
    expect(cached).toBeLessThanOrEqual(CACHE_BYTES / topic.length);
  });

  it('has room again after a pipeline was deleted', () => {
    const cache = createCache();
    cache.save('kept');
    for (const round of numbersTo(10)) {
      for (const n of numbersTo(1_000)) cache.save(nameOf(n), null, `pip_${round + 2}`);
      cache.delete(`pip_${round + 2}`);
    }
    expect(cache.has('kept')).toBe(true);
  });
});
