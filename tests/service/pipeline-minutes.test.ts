import { afterEach, expect, test } from 'vitest';
import type { Throughput } from '#contract/throughput.ts';
import { httpPipelinesOf } from './http-pipelines.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const START = Date.parse('2026-03-01T10:00:00Z');

let nowMs = START;
let service: TestService;
const { create, send } = httpPipelinesOf(() => service);
const start = async () => {
  nowMs = START;
  service = await startTestService({ now: () => nowMs });
  // Sessions end after idle hours.
  const { secret } = await service.mintKey([
    'devices:read',
    'pipelines:read',
    'pipelines:write',
    'telemetry:write',
  ]);
  service.token = secret;
};
afterEach(() => service.close());

const throughputOf = async (id: string): Promise<Throughput> =>
  (await service.request('GET', `/v1/pipelines/${id}/throughput`)).body;
/** Runs the service until a time, at which it has read the clock all the while. */
const runUntil = async (id: string, atMs: number) => {
  while (nowMs < atMs) {
    nowMs = Math.min(atMs, nowMs + 10_000);
    await throughputOf(id);
  }
};

test('the throughput of a pipeline is known for each completed minute', async () => {
  await start();
  const id = await create();
  await send(id, { a: 1, b: 2, c: 3 });
  await runUntil(id, START + 30_000);
  await send(id, { a: 1, b: 2, c: 3 });
  expect(await throughputOf(id)).toEqual({
    from: START - 24 * HOUR_MS,
    to: START,
    ts: [],
    received: [],
    perSecond: [],
  });
  // Nothing is received in the second minute.
  await runUntil(id, START + 2 * MINUTE_MS);
  expect(await throughputOf(id)).toMatchObject({
    to: START + 2 * MINUTE_MS,
    ts: [START, START + MINUTE_MS],
    received: [6, 0],
    perSecond: [0.1, 0],
  });
});

test('it survives a restart, and is unknown while the service did not run', async () => {
  await start();
  const id = await create();
  await send(id, { a: 1, b: 2, c: 3 });
  await runUntil(id, START + MINUTE_MS + 30_000);
  await send(id, { a: 1, b: 2, c: 3 });
  await service.restart(() => {
    nowMs += 10 * MINUTE_MS;
  });
  const backAt = START + 11 * MINUTE_MS;
  await runUntil(id, backAt + 2 * MINUTE_MS);
  const { ts, received, perSecond } = await throughputOf(id);
  expect(ts).toEqual([START, START + MINUTE_MS, backAt, backAt + MINUTE_MS]);
  expect(received).toEqual([3, 3, 0, 0]);
  // The service ran for half of the second minute.
  expect(perSecond).toEqual([0.05, 0.1, 0, 0]);
});

test('it is unknown before the pipeline was created', async () => {
  await start();
  const first = await create();
  await runUntil(first, START + 3 * MINUTE_MS);
  const second = await create();
  await runUntil(first, START + 4 * MINUTE_MS);
  expect((await throughputOf(first)).ts).toHaveLength(4);
  expect((await throughputOf(second)).ts).toEqual([START + 3 * MINUTE_MS]);
});

test('it is stored for 24 hours', async () => {
  await start();
  const id = await create();
  await send(id, { a: 1 });
  await runUntil(id, START + MINUTE_MS);
  const atDayEnd = START + 24 * HOUR_MS;
  nowMs = atDayEnd;
  expect((await throughputOf(id)).ts).toEqual([START]);
  nowMs = atDayEnd + MINUTE_MS;
  expect((await throughputOf(id)).ts).toEqual([]);
});

test('it is deleted with the pipeline, and with its age', async () => {
  await start();
  const { db } = service.service.parts;
  const [kept, deleted] = [await create(), await create()];
  await send(kept, { a: 1 });
  await send(deleted, { a: 1 });
  await runUntil(kept, START + MINUTE_MS);
  // Received just before the deletion, and not written yet.
  await send(deleted, { a: 1 });
  await service.request('DELETE', `/v1/pipelines/${deleted}`);
  await runUntil(kept, START + 2 * MINUTE_MS);
  const minutes = await db.selectFrom('pipeline_minute').selectAll().execute();
  expect(minutes).toEqual([{ pipeline_id: kept, minute: START, received: 1 }]);

  nowMs += 26 * HOUR_MS;
  await throughputOf(kept);
  expect(await db.selectFrom('pipeline_minute').selectAll().execute()).toEqual([]);
  expect(await db.selectFrom('service_minute').selectAll().execute()).toEqual([]);
});

test('the samples of the last hour survive a restart, and are unknown while the service did not run', async () => {
  await start();
  const id = await create();
  const perMinute = async () => (await service.request('GET', '/v1/overview')).body.ingest.perMinute;
  await send(id, { device: 'boiler', values: { a: 1, b: 2, c: 3 } });
  await runUntil(id, START + MINUTE_MS + 30_000);
  await send(id, { device: 'boiler', values: { a: 1, b: 2, c: 3 } });
  expect(await perMinute()).toEqual([
    { ts: START, count: 3, perSecond: 0.05 },
    { ts: START + MINUTE_MS, count: 3, perSecond: 0.1 },
  ]);
  await service.restart(() => {
    nowMs += 10 * MINUTE_MS;
  });
  const backAt = START + 11 * MINUTE_MS;
  await runUntil(id, backAt + MINUTE_MS + 20_000);
  expect(await perMinute()).toEqual([
    { ts: START, count: 3, perSecond: 0.05 },
    { ts: START + MINUTE_MS, count: 3, perSecond: 0.1 },
    { ts: backAt, count: 0, perSecond: 0 },
    { ts: backAt + MINUTE_MS, count: 0, perSecond: 0 },
  ]);
  nowMs += HOUR_MS;
  expect((await perMinute()).map(({ ts }: { ts: number }) => ts)).toEqual([nowMs - (nowMs % MINUTE_MS)]);
});
