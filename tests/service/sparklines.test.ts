import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

const HALF_HOUR = 1_800_000;
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const write = (samples: readonly object[]) => service.request('POST', '/v1/telemetry', { body: { samples } });
const read = (devices: readonly string[], token = service.token) =>
  service.request('GET', `/v1/telemetry/sparklines?${devices.map((id) => `device=${id}`).join('&')}`, {
    token,
  });

test('each device has its first measurement with a unit, else its first number, of the last 24 hours', async () => {
  const bucket = Math.floor(Date.now() / HALF_HOUR) * HALF_HOUR - 10 * HALF_HOUR;
  await write([
    {
      device: 'a',
      ts: bucket,
      values: { count: 1, energy_kwh: 7, line_volts: 230, temperature_celsius: 20, on: true },
    },
    { device: 'a', ts: bucket + 1_000, values: { temperature_celsius: 30 } },
    { device: 'a', ts: bucket + HALF_HOUR, values: { temperature_celsius: 40 } },
    { device: 'a', ts: bucket - 50 * HALF_HOUR, values: { temperature_celsius: 0 } },
    { device: 'b', ts: bucket, values: { mode: 'eco', zeta: 2, count: 5 } },
    { device: 'c', ts: bucket, values: { mode: 'eco' } },
  ]);
  const { status, body } = await read(['a', 'b', 'c']);
  expect(status).toBe(200);
  const lines = body.data.map(({ device: _, ...line }: { device: string }) => line);
  expect(lines).toEqual([
    { metric: 'temperature_celsius', unit: '°C', ts: [bucket, bucket + HALF_HOUR], avg: [25, 40] },
    { metric: 'count', unit: null, ts: [bucket], avg: [5] },
  ]);
});

test('counters have their rate: per second, or per hour in units of energy', async () => {
  const bucket = Math.floor(Date.now() / HALF_HOUR) * HALF_HOUR - 10 * HALF_HOUR;
  const counters = [
    ['meter', 'energy_kwh_total', 2],
    ['router', 'requests_total', 3_600],
  ] as const;
  // A sample in each bucket, with a restart from 0 in the third.
  for (const [device, metric, rise] of counters)
    await write(
      [10, 11, 1, 2].map((times, i) => ({
        device,
        ts: bucket + i * HALF_HOUR,
        values: { [metric]: times * rise },
      })),
    );
  const { body } = await read(['meter', 'router']);
  const ts = [1, 2, 3].map((i) => bucket + i * HALF_HOUR);
  expect(body.data.map(({ device: _, ...line }: { device: string }) => line)).toEqual([
    { metric: 'energy_kwh_total', unit: 'kWh/h', ts, rate: [4, 4, 4] },
    { metric: 'requests_total', unit: '1/s', ts, rate: [2, 2, 2] },
  ]);
});

test('the bucket in progress of a counter is omitted', async () => {
  const inProgress = Math.floor(Date.now() / HALF_HOUR) * HALF_HOUR;
  const starts = [2, 1, 0].map((before) => inProgress - before * HALF_HOUR);
  await write(starts.map((ts, i) => ({ device: 'running', ts, values: { turns_total: i * 1_800 } })));
  const { body } = await read(['running']);
  expect(body.data).toMatchObject([{ ts: [inProgress - HALF_HOUR], rate: [1] }]);
});

test('a mean that is too large for JSON is null', async () => {
  const bucket = Math.floor(Date.now() / HALF_HOUR) * HALF_HOUR - 10 * HALF_HOUR;
  await write([0, 1].map((i) => ({ device: 'huge', ts: bucket + i, values: { level: 1.7e308 } })));
  const { status, body } = await read(['huge']);
  expect(status).toBe(200);
  expect(body.data).toMatchObject([{ ts: [bucket], avg: [null] }]);
});

test('unknown and deleted devices are omitted', async () => {
  const ts = Date.now() - HALF_HOUR;
  await write(['kept', 'deleted'].map((device) => ({ device, ts, values: { level: 1 } })));
  const { body: listed } = await service.request('GET', '/v1/devices?q=deleted');
  await service.request('DELETE', `/v1/devices/${listed.data[0].id}`);
  const { status, body } = await read(['deleted', 'kept', 'unknown']);
  expect(status).toBe(200);
  expect(body.data).toMatchObject([{ metric: 'level', avg: [1] }]);
});

test('a key limited to devices reads only theirs, and more than 100 devices are too many', async () => {
  const { body } = await service.request('GET', '/v1/devices?q=a');
  const { secret } = await service.mintKey(['telemetry:read'], { devices: [body.data[0].id] });
  expect((await read(['a'], secret)).body.data).toHaveLength(1);
  expect((await read(['a', 'b'], secret)).body.data).toMatchObject([{ metric: 'temperature_celsius' }]);
  expect((await read(Array.from({ length: 101 }, (_, n) => `d-${n}`))).status).toBe(400);
});
