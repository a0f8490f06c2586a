import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ env: { METRICS_PER_DEVICE: '5' } });
});
afterAll(() => service.close());

const metrics = (first: number, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${first + i}`, 1]));
const write = async (device: string, values: Record<string, unknown>) => {
  const { body } = await service.request('POST', '/v1/telemetry', {
    body: { samples: [{ device, values }] },
  });
  return body;
};

it('a device gets no more metrics than the limit, and known metrics take further samples', async () => {
  expect(await write('a', metrics(0, 3))).toMatchObject({ accepted: 3, rejected: 0 });
  const over = await write('a', metrics(1, 7));
  expect(over).toMatchObject({ received: 7, accepted: 4, rejected: 3 });
  expect(over.errors[0]).toMatchObject({ code: 'metric-limit', pointer: '/samples/0/values/m5' });
  expect(over.errors[0].detail).toContain(
    'The device has reached the limit of 5 metrics (METRICS_PER_DEVICE).',
  );
  expect(await write('a', metrics(0, 5))).toMatchObject({ accepted: 5, rejected: 0 });
  expect(await write('b', metrics(0, 5))).toMatchObject({ accepted: 5 });
});

it('a deleted metric makes room for another', async () => {
  await write('c', metrics(0, 5));
  expect((await write('c', { other: 1 })).code).toBe('validation-failed');
  const deleted = await service.request('DELETE', '/v1/telemetry?device=c&metric=m2&from=0&to=now');
  expect(deleted).toMatchObject({ status: 200, body: { deleted: 1 } });
  expect(await write('c', { other: 1 })).toMatchObject({ accepted: 1 });
  expect((await write('c', { another: 1 })).code).toBe('validation-failed');
});

it('a pipeline rejects the samples of further metrics, and the preview of a replay predicts it', async () => {
  const { request } = service;
  const { body: pipeline } = await request('POST', '/v1/pipelines', {
    body: { name: 'Meters', type: 'http', interval: 10, destination: 'telemetry' },
  });
  const sent = await request('POST', `/v1/pipelines/${pipeline.id}/messages`, {
    body: { samples: [{ device: 'd', values: metrics(0, 8) }] },
  });
  expect(sent.body).toMatchObject({ received: 8, rejected: 3 });
  const rejections = `/v1/pipelines/${pipeline.id}/rejections`;
  const { body: list } = await request('GET', rejections);
  expect(list.data).toMatchObject([{ reason: 'metric-limit', samples: 3 }]);
  const { body: preview } = await request('POST', `${rejections}/preview`, { body: { all: true } });
  expect(preview).toMatchObject({ replayed: 0, rejected: 3 });
});
