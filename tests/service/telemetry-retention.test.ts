import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

const DAY_MS = 86_400_000;

let test: TestService;
let clockMs = Date.now();
let token: string;
beforeAll(async () => {
  test = await startTestService({ env: { RETENTION_DAYS: '30' }, now: () => clockMs });
  // It outlives the days that pass, a session would not.
  token = (await test.mintKey(['telemetry:read'])).secret;
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
