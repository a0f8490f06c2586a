import { expect, onTestFinished, test } from 'vitest';
import { startTestService } from './start-test-service.ts';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-03-01T10:00:00Z');

test('when the disk is full is known after a day of growth, also over a restart', async () => {
  let nowMs = START;
  const service = await startTestService({ now: () => nowMs, elapsed: () => nowMs });
  onTestFinished(() => service.close());
  const { secret } = await service.mintKey(['devices:read', 'telemetry:write']);
  const storage = async () => (await service.request('GET', '/v1/overview', { token: secret })).body.storage;
  const ts = Array.from({ length: 10_000 }, (_, n) => START - n * 1_000);
  const series = [{ device: 'boiler', metric: 'temperature', ts, values: ts.map(() => Math.random()) }];
  await service.request('POST', '/v1/telemetry', { token: secret, body: { series } });
  nowMs = START + 23 * HOUR_MS;
  expect(await storage()).toMatchObject({ growth: null, fullAt: null });
  await service.restart(() => {
    nowMs = START + 48 * HOUR_MS;
  });
  const { growth, fullAt, freeBytes } = await storage();
  expect(growth).toEqual({ bytesPerDay: expect.any(Number), since: START });
  expect(growth.bytesPerDay).toBeGreaterThan(10_000);
  const leftMs = Math.round((freeBytes / growth.bytesPerDay) * 24 * HOUR_MS);
  expect(fullAt).toBe(leftMs > 10 * 365 * 24 * HOUR_MS ? null : nowMs + leftMs);
});
