import { expect, onTestFinished, test } from 'vitest';
import { createBusiestDevices } from '#service/telemetry/write/busiest-devices.ts';
import { startTestService } from './start-test-service.ts';

const MINUTE_MS = 60_000;

const start = () => {
  let nowMs = 0;
  const busiest = createBusiestDevices(() => nowMs);
  return {
    send: (samples: Record<string, number>) => busiest.count(new Map(Object.entries(samples))),
    read: () => busiest.read().map(({ id, share }) => [id, Number(share.toFixed(3))]),
    pass: (minutes: number) => {
      nowMs += minutes * MINUTE_MS;
    },
  };
};

test('devices with at least a tenth of the samples are listed, busiest first', () => {
  const { send, read } = start();
  send({ a: 20, b: 70, c: 9, d: 1 });
  expect(read()).toEqual([
    ['b', 0.7],
    ['a', 0.2],
  ]);
});

test('without samples none is listed', () => {
  const { send, read } = start();
  send({ a: 0 });
  expect(read()).toEqual([]);
});

test('samples count for 5 to 10 minutes', () => {
  const { send, read, pass } = start();
  send({ a: 3 });
  pass(5);
  send({ b: 1 });
  expect(read()).toEqual([
    ['a', 0.75],
    ['b', 0.25],
  ]);
  pass(5);
  expect(read()).toEqual([['b', 1]]);
  pass(10);
  expect(read()).toEqual([]);
});

test('samples of a window that nobody read count no longer than others', () => {
  const { send, read, pass } = start();
  send({ a: 1 });
  pass(9);
  send({ b: 1 });
  pass(4.9);
  expect(read()).toEqual([['b', 1]]);
});

test('a device that becomes busy is found among any number of others, some of which send much', () => {
  const { send, read } = start();
  for (let i = 0; i < 1_000; i += 1) send({ [`steady-${i}`]: 100 });
  for (let i = 0; i < 60_000; i += 1) send({ [`rare-${i}`]: 1, ...(i % 2 === 0 ? { flood: 1 } : {}) });
  expect(read()).toEqual([['flood', expect.closeTo(30 / 190, 2)]]);
});

test('the overview lists the busiest devices, counts repeated samples and omits deleted devices', async () => {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const send = (device: string, count: number) =>
    service.request('POST', '/v1/telemetry', {
      body: {
        samples: Array.from({ length: count }, () => ({
          device,
          ts: '2026-01-01T00:00:00Z',
          values: { a: 1 },
        })),
      },
    });
  await send('flood', 30);
  await send('quiet', 5);
  await send('gone', 15);
  const busiest = async () => (await service.request('GET', '/v1/overview')).body.ingest.busiest;
  expect(await busiest()).toMatchObject([
    { externalId: 'flood', name: 'flood', share: 0.6 },
    { externalId: 'gone', share: 0.3 },
    { externalId: 'quiet', share: 0.1 },
  ]);
  const { body } = await service.request('GET', '/v1/devices?q=gone');
  await service.request('DELETE', `/v1/devices/${body.data[0].id}`);
  expect((await busiest()).map(({ name }: { name: string }) => name)).toEqual(['flood', 'quiet']);
});
