import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeviceMessages } from '#contract/device-messages.ts';
import { deviceScopes } from '#contract/scope.ts';
import { createDeviceMessages } from '#service/pipelines/ingest/device-messages.ts';
import { startTestService, type TestService } from './start-test-service.ts';
import { httpPipelinesOf } from './http-pipelines.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
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
  expect(messages.map(({ pipelineId, message, values }) => [pipelineId, message, values])).toEqual([
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

test('a long message is cut to 4 KiB, and ends with its pipeline', async () => {
  const device = await register('meter-1');
  const id = await pipelines.create();
  const samples = Array.from({ length: 3_000 }, (_, n) => ({ ts: 1_760_000_000 + n, values: { 'a-é': n } }));
  await send(id, { samples }, '?device=meter-1');
  const [cut] = (await messagesOf(device)).messages;
  expect(cut).toMatchObject({ truncated: true, values: 3_000 });
  expect(JSON.stringify({ samples }).startsWith(cut!.message)).toBe(true);
  expect(4_096 - Buffer.byteLength(cut!.message)).toBeOneOf([0, 1]);
  await send(id, 'x'.repeat(5_000), '?device=meter-1');
  const [rejected] = (await messagesOf(device)).messages;
  expect([rejected?.message, rejected?.truncated]).toEqual(['x'.repeat(4_096), true]);
  await service.request('DELETE', `/v1/pipelines/${id}`);
  expect(await messagesOf(device)).toMatchObject({ pipelines: [], messages: [] });
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

test('of very many devices, those that are silent for longest are forgotten', () => {
  const messages = createDeviceMessages();
  const keep = (device: string, atMs: number) =>
    messages.keep('pip_1', device, { bytes: Buffer.alloc(4_096, 'x'), topic: null }, { atMs, values: 1 });
  for (let n = 0; n < 10_000; n += 1) {
    keep('chatty', n);
    keep(`silent-${n}`, n);
  }
  expect(messages.lastOf(['silent-0']).size).toBe(0);
  expect(messages.lastOf(['silent-9999']).get('pip_1')?.isTruncated).toBe(false);
  expect(messages.lastOf(['chatty']).get('pip_1')?.atMs).toBe(9_999);
});
