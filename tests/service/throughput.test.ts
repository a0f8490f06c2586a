import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import type { Throughput } from '#contract/throughput.ts';
import { throughput as throughputMigration } from '#service/platform/storage/migrations/0009-throughput.ts';
import { acceptedPerMinute } from '#service/platform/storage/migrations/0011-accepted-per-minute.ts';
import { throughputByHour } from '#service/platform/storage/migrations/0020-throughput-by-hour.ts';
import { httpPipelinesOf } from './http-pipelines.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse('2026-03-01T10:00:00Z');

let nowMs = START;
/** How far the wall clock was set back. */
let setBackMs = 0;
let service: TestService;
const { create, send } = httpPipelinesOf(() => service);
const start = async (atMs = START) => {
  nowMs = atMs;
  service = await startTestService({ now: () => nowMs, elapsed: () => nowMs + setBackMs });
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

const throughputOf = async (id: string, range = '24h'): Promise<Throughput> =>
  (await service.request('GET', `/v1/pipelines/${id}/throughput?range=${range}`)).body;
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
    bucketMs: MINUTE_MS,
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

test('the last hour of several pipelines is read at once, without those that do not exist', async () => {
  await start();
  const [busy, quiet] = [await create(), await create()];
  await send(busy, { a: 1, b: 2, c: 3 });
  await runUntil(busy, START + 2 * MINUTE_MS);
  const gone = await create();
  await service.request('DELETE', `/v1/pipelines/${gone}`);
  const query = [busy, quiet, gone, busy].map((id) => `pipeline=${id}`).join('&');
  const { status, body } = await service.request('GET', `/v1/pipeline-throughput?${query}`);
  expect(status).toBe(200);
  const minutes = { ts: [START, START + MINUTE_MS] };
  const byId = new Map(body.data.map((each: { pipeline: string }) => [each.pipeline, each]));
  expect(body.data).toHaveLength(2);
  expect(byId.get(busy)).toEqual({ pipeline: busy, ...minutes, received: [3, 0], perSecond: [0.05, 0] });
  expect(byId.get(quiet)).toEqual({ pipeline: quiet, ...minutes, received: [0, 0], perSecond: [0, 0] });
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
  nowMs = START + HOUR_MS;
  expect(await throughputOf(id, '1h')).toMatchObject({
    from: START,
    to: nowMs,
    bucketMs: MINUTE_MS,
    ts: [START],
  });
  nowMs = START + HOUR_MS + MINUTE_MS;
  expect((await throughputOf(id, '1h')).ts).not.toContain(START);
  nowMs = atDayEnd;
  expect((await throughputOf(id)).ts).toEqual([START]);
  nowMs = atDayEnd + MINUTE_MS;
  expect((await throughputOf(id)).ts).toEqual([]);
});

test('the throughput of each completed hour survives restarts, and is unknown while the service did not run', async () => {
  await start(START + 30 * MINUTE_MS);
  const id = await create();
  await send(id, { a: 1, b: 2, c: 3 });
  await runUntil(id, START + 40 * MINUTE_MS);
  await service.restart();
  await send(id, { a: 1, b: 2, c: 3 });
  await runUntil(id, START + 55 * MINUTE_MS);
  expect(await throughputOf(id, '30d')).toEqual({
    from: START - 30 * DAY_MS,
    to: START,
    bucketMs: HOUR_MS,
    ts: [],
    received: [],
    perSecond: [],
  });
  const backAt = START + 3 * HOUR_MS + 55 * MINUTE_MS;
  await service.restart(() => {
    nowMs = backAt;
  });
  await send(id, { a: 1 });
  await runUntil(id, backAt + 7 * MINUTE_MS);
  const hours = await throughputOf(id, '30d');
  expect(hours).toMatchObject({
    to: START + 4 * HOUR_MS,
    ts: [START, START + 3 * HOUR_MS],
    received: [6, 1],
  });
  // The pipeline existed, and the service ran, for 25 minutes of the first hour and for 5 of the last.
  expect(hours.perSecond).toEqual([6 / (25 * 60), 1 / (5 * 60)]);
});

test('hours and minutes that were recorded before the clock was set back count for the current ones', async () => {
  await start(START + 49 * MINUTE_MS);
  const id = await create();
  await send(id, { a: 1, b: 2, c: 3 });
  await runUntil(id, START + HOUR_MS + MINUTE_MS);
  await send(id, { a: 1, b: 2 });
  await runUntil(id, START + HOUR_MS + 2 * MINUTE_MS);
  await throughputOf(id);
  setBackMs += 12 * MINUTE_MS;
  nowMs -= 12 * MINUTE_MS;
  const ahead = () =>
    service.service.parts.db.selectFrom('service_throughput').select('ts').where('ts', '>', nowMs).execute();
  await expect.poll(ahead).toEqual([]);
  const read = async (range: string) => {
    const { ts, received } = await throughputOf(id, range);
    return [ts, received];
  };
  await runUntil(id, START + HOUR_MS);
  expect(await read('30d')).toEqual([[START], [5]]);
  const [minutes, received] = await read('24h');
  expect(minutes).toHaveLength(11);
  expect(received?.slice(0, 3)).toEqual([3, 2, 0]);
});

test('hours are stored for 30 days', async () => {
  await start();
  const id = await create();
  await send(id, { a: 1 });
  await runUntil(id, START + MINUTE_MS);
  const atEnd = START + 30 * DAY_MS;
  nowMs = atEnd;
  expect((await throughputOf(id, '30d')).ts).toEqual([START]);
  nowMs = atEnd + HOUR_MS;
  expect((await throughputOf(id, '30d')).ts).toEqual([]);
});

test('another range is rejected', async () => {
  await start();
  const { status, body } = await service.request(
    'GET',
    `/v1/pipelines/${await create()}/throughput?range=7d`,
  );
  expect([status, body.code]).toEqual([400, 'invalid-parameter']);
});

test('throughput is deleted with its pipeline, and after its range', async () => {
  await start();
  const { db } = service.service.parts;
  const storedFor = async (bucketMs: number) => {
    const pipelines = await db
      .selectFrom('pipeline_throughput')
      .select(['pipeline_id', 'ts', 'received'])
      .where('bucket_ms', '=', bucketMs)
      .execute();
    const service = await db
      .selectFrom('service_throughput')
      .select('ts')
      .where('bucket_ms', '=', bucketMs)
      .where('ts', '<', START + HOUR_MS)
      .execute();
    return { pipelines, ran: service.length };
  };
  const [kept, deleted] = [await create(), await create()];
  await send(kept, { a: 1 });
  await send(deleted, { a: 1 });
  await runUntil(kept, START + MINUTE_MS);
  // Received just before the deletion, and not written yet.
  await send(deleted, { a: 1 });
  await service.request('DELETE', `/v1/pipelines/${deleted}`);
  await runUntil(kept, START + 2 * MINUTE_MS);
  const pipelines = [{ pipeline_id: kept, ts: START, received: 1 }];
  expect(await storedFor(MINUTE_MS)).toEqual({ pipelines, ran: 2 });
  expect(await storedFor(HOUR_MS)).toEqual({ pipelines, ran: 1 });

  nowMs += 26 * HOUR_MS;
  await throughputOf(kept);
  expect(await storedFor(MINUTE_MS)).toEqual({ pipelines: [], ran: 0 });
  expect(await storedFor(HOUR_MS)).toEqual({ pipelines, ran: 1 });
  nowMs += 30 * DAY_MS;
  await throughputOf(kept);
  expect(await storedFor(HOUR_MS)).toEqual({ pipelines: [], ran: 0 });
});

test('the minutes of an earlier version become minutes and hours', async () => {
  await start();
  const { db } = service.service.parts;
  const [id, other] = [await create(), await create()];
  for (const table of ['pipeline_throughput', 'service_throughput'] as const)
    await db.schema.dropTable(table).execute();
  await throughputMigration.up(db);
  await acceptedPerMinute.up(db);
  const at = START - HOUR_MS + 58 * MINUTE_MS;
  for (const [index, minute] of [at, at + MINUTE_MS, at + 2 * MINUTE_MS].entries()) {
    await sql`insert into service_minute (minute, ran_ms, accepted)
      values (${minute}, 60000, ${index === 0 ? null : 10})`.execute(db);
    await sql`insert into pipeline_minute (pipeline_id, minute, received) values (${id}, ${minute}, ${index + 1})`.execute(
      db,
    );
  }
  await sql`insert into pipeline_minute (pipeline_id, minute, received) values (${other}, ${at}, 9)`.execute(
    db,
  );
  await throughputByHour.up(db);
  const columns = ['ts', 'received'] as const;
  const received = (pipelineId: string, bucketMs: number) =>
    db
      .selectFrom('pipeline_throughput')
      .select(columns)
      .where('pipeline_id', '=', pipelineId)
      .where('bucket_ms', '=', bucketMs)
      .orderBy('ts')
      .execute();
  expect(await received(id, MINUTE_MS)).toEqual([
    { ts: at, received: 1 },
    { ts: at + MINUTE_MS, received: 2 },
    { ts: START, received: 3 },
  ]);
  expect(await received(id, HOUR_MS)).toEqual([
    { ts: START - HOUR_MS, received: 3 },
    { ts: START, received: 3 },
  ]);
  expect(await received(other, HOUR_MS)).toEqual([{ ts: START - HOUR_MS, received: 9 }]);
  const ran = await db
    .selectFrom('service_throughput')
    .select(['ts', 'ran_ms', 'accepted'])
    .where('bucket_ms', '=', HOUR_MS)
    .orderBy('ts')
    .execute();
  expect(ran).toEqual([
    { ts: START - HOUR_MS, ran_ms: 2 * MINUTE_MS, accepted: 10 },
    { ts: START, ran_ms: MINUTE_MS, accepted: 10 },
  ]);
});

test('the samples per second of the service leave out imports of history', async () => {
  await start();
  const body = { samples: [{ device: 'boiler', values: { a: 1, b: 2 } }] };
  await service.request('POST', '/v1/telemetry', { body });
  await service.request('POST', '/v1/telemetry?backfill=true', {
    body: {
      series: [{ device: 'boiler', metric: 'c', ts: [1, 2, 3].map((n) => START - n), values: [1, 2, 3] }],
    },
  });
  nowMs += 5_000;
  const { ingest, storage } = (await service.request('GET', '/v1/overview')).body;
  expect(storage.samples).toBe(5);
  expect(ingest.perMinute).toMatchObject([{ ts: START, count: 2 }]);
  expect(ingest.perSecond).toBe(0.2);
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
