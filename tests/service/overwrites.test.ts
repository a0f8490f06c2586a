import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { httpPipelinesOf } from './http-pipelines.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const { create, send, read } = httpPipelinesOf(() => service);
const ledger = async (id: string) => (await read(id)).ledger;
const overwrites = async (id: string) =>
  (await service.request('GET', `/v1/pipelines/${id}/overwrites`)).body.data;

const TS = 1_700_000_000_000;

describe('a message with another value for a stored device, metric and timestamp', () => {
  test('is delivered and counted as overwritten: in the answer, the ledger and the frames', async () => {
    const id = await create();
    const frames: unknown[] = [];
    const end = service.service.parts.live.subscribe('pipeline', (frame) => {
      if (frame.id === id) frames.push(frame.ledger);
    });
    const message = (n: number) => ({ device: 'stuck-clock', ts: TS, values: { n, steady: true } });
    expect(await send(id, message(1))).toMatchObject({ received: 2, overwritten: 0 });
    expect(await send(id, message(2))).toMatchObject({ received: 2, rejected: 0, overwritten: 1 });
    expect(await send(id, message(2)), 'the same again').toMatchObject({ received: 2, overwritten: 0 });
    const counts = { received: 6, delivered: 6, pending: 0, rejected: 0, skipped: 0, overwritten: 1 };
    expect(await ledger(id)).toEqual(counts);
    await vi.waitFor(() => expect(frames.at(-1)).toEqual(counts), 20_000);
    end();
  });

  test('lists the device and metric with the value before and after', async () => {
    const id = await create();
    const write = (values: object, ts = TS) => send(id, { device: 'seen', ts, values });
    await write({ n: 1, on: true, mode: 'a', other: 1 });
    await write({ n: 2, on: false, mode: 'b', other: 1 });
    await write({ n: 9 }, TS + 1);
    await write({ n: 3 });
    const { body: device } = await service.request('PUT', '/v1/devices/by-external-id/seen', { body: {} });
    const entries = await overwrites(id);
    expect(entries[0]).toEqual({
      device: device.id,
      externalId: 'seen',
      metric: 'n',
      count: 2,
      firstAt: expect.any(String),
      lastAt: expect.any(String),
      ts: TS,
      before: 2,
      after: 3,
    });
    expect(entries[0].firstAt < entries[0].lastAt).toBe(true);
    const others = entries
      .slice(1)
      .map(({ metric, before, after }: Record<string, unknown>) => [metric, before, after]);
    expect(others).toEqual([
      ['mode', 'a', 'b'],
      ['on', true, false],
    ]);
  });

  test('is counted for each message of a write', async () => {
    const id = await create();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => send(id, { device: 'burst', ts: TS, values: { n } })),
    );
    const overwritten = answers.reduce((sum, answer) => sum + answer.overwritten, 0);
    expect(overwritten).toBe(19);
    expect(await ledger(id)).toMatchObject({ delivered: 20, overwritten: 19 });
    expect((await overwrites(id)).map(({ count }: { count: number }) => count)).toEqual([19]);
  });

  test('keeps a bounded list, the latest first', async () => {
    const id = await create();
    const all = (n: number) =>
      send(id, {
        samples: Array.from({ length: 15 }, (_, metric) => ({
          device: 'wide',
          ts: TS,
          values: { [`m${metric}`]: n },
        })),
      });
    await all(1);
    await all(2);
    expect(await overwrites(id)).toHaveLength(15);
    for (let device = 0; device < 8; device += 1)
      for (const n of [1, 2])
        await send(id, {
          device: `churn-${device}`,
          ts: TS,
          values: Object.fromEntries(Array.from({ length: 10 }, (_, metric) => [`m${metric}`, n])),
        });
    const entries = await overwrites(id);
    expect(entries).toHaveLength(50);
    expect(entries[0].externalId).toBe('churn-7');
    expect(new Set(entries.map(({ externalId }: { externalId: string }) => externalId))).toEqual(
      new Set(['churn-7', 'churn-6', 'churn-5', 'churn-4', 'churn-3']),
    );
    expect(await ledger(id)).toMatchObject({ overwritten: 15 + 80 });
  });

  test('is no longer listed after its device is deleted, but still counted', async () => {
    const id = await create();
    for (const n of [1, 2]) await send(id, { device: 'leaves', ts: TS, values: { n } });
    const [{ device }] = await overwrites(id);
    await service.request('DELETE', `/v1/devices/${device}`);
    expect(await overwrites(id)).toEqual([]);
    expect(await ledger(id)).toMatchObject({ overwritten: 1 });
  });
});

test('a replay that overwrites a value counts it', async () => {
  const id = await create({ config: { onUnknownDevice: 'reject' } });
  await send(id, { device: 'returns', ts: TS, values: { n: 1 } });
  await service.request('POST', '/v1/telemetry', {
    body: { samples: [{ device: 'returns', ts: TS, values: { n: 2 } }] },
  });
  const replay = await service.request('POST', `/v1/pipelines/${id}/rejections/replay`, {
    body: { all: true },
  });
  expect(replay.body).toMatchObject({ replayed: 1 });
  expect(await ledger(id)).toMatchObject({ received: 1, delivered: 1, rejected: 0, overwritten: 1 });
  expect(await overwrites(id)).toMatchObject([{ externalId: 'returns', before: 2, after: 1 }]);
});

test('a pipeline with an external destination overwrites nothing', async () => {
  const { body } = await service.request('POST', '/v1/destinations', {
    body: { name: 'Elsewhere', type: 'file' },
  });
  const id = await create({ destination: body.name });
  for (const n of [1, 2])
    expect(await send(id, { device: 'away', ts: TS, values: { n } })).toMatchObject({ overwritten: 0 });
  expect(await overwrites(id)).toEqual([]);
});

test('the overwritten samples of an unknown pipeline are not found', async () => {
  const answer = await service.request('GET', '/v1/pipelines/pip_01jz3k5v8cf6n9qw2r4t7y0abd/overwrites');
  expect(answer.status).toBe(404);
});
