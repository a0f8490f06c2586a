import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const minutes = Array.from({ length: 60 }, (_, minute) => Date.now() - minute * 60_000);
  await service.request('POST', '/v1/telemetry?allowOld=true', {
    body: {
      series: [
        { device: 'boiler', metric: 'temperature', ts: minutes, values: minutes.map(() => 20) },
        { device: 'boiler', metric: 'mode', ts: [-1, 1], values: ['eco', 'off'] },
        { device: 'pump', metric: 'on', ts: minutes, values: minutes.map(() => true) },
      ],
    },
  });
  await service.request('POST', '/v1/devices', { body: { name: 'silent' } });
});
afterAll(() => service.close());

const count = async (body: object, token = service.token) =>
  service.request('POST', '/v1/telemetry/count', { body, token });
const idOf = async (name: string) =>
  (await service.request('GET', `/v1/devices?q=${name}`)).body.data[0].id as string;

test('the stored samples of devices are counted, of every kind and age', async () => {
  expect((await count({ devices: ['boiler'] })).body).toEqual({ devices: 1, series: 2, samples: 62 });
  expect((await count({})).body).toEqual({ devices: 3, series: 3, samples: 122 });
  expect((await count({ filter: { q: 'silent' } })).body).toEqual({ devices: 1, series: 0, samples: 0 });
  const except = [await idOf('boiler')];
  expect((await count({ filter: {}, except })).body).toEqual({ devices: 2, series: 1, samples: 60 });
});

test('a key limited to devices counts only theirs', async () => {
  const { secret } = await service.mintKey(['telemetry:read'], { devices: [await idOf('pump')] });
  expect((await count({}, secret)).body).toEqual({ devices: 1, series: 1, samples: 60 });
  expect((await count({ devices: ['boiler'] }, secret)).status).toBe(404);
});
