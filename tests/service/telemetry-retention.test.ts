import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSqlite } from '#service/platform/storage/dialects/sqlite.ts';
import { SampleStore } from '#service/telemetry/store/embedded/sample-store.ts';
import { isSecondDatabase } from './sized.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const DAY_MS = 86_400_000;

let test: TestService;
let clockMs = Date.now();
let token: string;
beforeAll(async () => {
  test = await startTestService({ env: { RETENTION_DAYS: '30' }, now: () => clockMs });
  // It outlives the days that pass, a session would not.
  token = (await test.mintKey(['telemetry:read', 'telemetry:write', 'devices:read'])).secret;
});
afterAll(() => test.close());

const send = (samples: unknown[]) => test.request('POST', '/v1/telemetry', { body: { samples } });
const storedTimes = async () => {
  const from = clockMs - 365 * DAY_MS;
  const { body } = await test.request(
    'GET',
    `/v1/telemetry?device=tank&metric=level&from=${from}&to=${clockMs + DAY_MS}`,
    { token },
  );
  return body.series[0]?.ts ?? [];
};

it('a sample older than the retention is rejected with its reason, and the others are accepted', async () => {
  const { status, body } = await send([
    { device: 'tank', ts: clockMs - 31 * DAY_MS, values: { level: 1 } },
    { device: 'tank', ts: clockMs - 29 * DAY_MS, values: { level: 2 } },
  ]);
  expect(status).toBe(200);
  expect(body).toMatchObject({ received: 2, accepted: 1, rejected: 1 });
  expect(body.errors).toEqual([
    {
      index: 0,
      pointer: '/samples/0/ts',
      code: 'ts-too-old',
      detail:
        'The timestamp is older than the telemetry retention of 30 days. Correct the timestamp, or raise RETENTION_DAYS.',
    },
  ]);
});

it('samples older than the retention are deleted, and others stay', async () => {
  const [old, recent] = [clockMs - 28 * DAY_MS, clockMs - DAY_MS];
  await send([
    { device: 'tank', ts: old, values: { level: 3 } },
    { device: 'tank', ts: recent, values: { level: 4 } },
  ]);
  expect(await storedTimes()).toHaveLength(3);
  await test.restart(() => {
    clockMs += 3 * DAY_MS;
  });
  await expect.poll(storedTimes).toEqual([recent]);
});

/** Moves all samples into chunks, and damages those of a device. */
const damageChunks = (device: string): void => {
  const db = openSqlite(join(test.dataDir, 'telemetry.db'));
  const store = new SampleStore(db, { limit: { samples: 1, series: 1, rows: 1, bytes: 1 } });
  while (store.compact(1_000));
  db.prepare(
    "UPDATE chunk_data SET coded = x'00' FROM chunk, series WHERE chunk.data = chunk_data.id AND series.id = chunk.series AND device = ?",
  ).run(device);
  db.close();
};

it.skipIf(isSecondDatabase)('old samples of other devices are deleted beside a damaged chunk', async () => {
  const [old, recent] = [clockMs - 28 * DAY_MS, clockMs - DAY_MS];
  // More devices than one step deletes from.
  const series = Array.from({ length: 600 }, (_, n) => ({
    device: `many-${n}`,
    metric: 'level',
    ts: [old, recent],
    values: [1, 2],
  }));
  await test.request('POST', '/v1/telemetry', { body: { series }, token });
  const samples = async () => (await test.service.parts.telemetry.stats()).samples;
  const { body } = await test.request('GET', '/v1/devices?q=many-0&limit=1', { token });
  const before = await samples();
  await test.restart(() => {
    damageChunks(body.data[0].id);
    clockMs += 3 * DAY_MS;
  });
  await expect.poll(samples).toBe(before - 599);
});
