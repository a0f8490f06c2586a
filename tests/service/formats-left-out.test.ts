import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { metricFilterOf } from '#service/pipelines/formats/metric-filter.ts';
import { httpPipelinesOf } from './http-pipelines.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
const { create, send, read } = httpPipelinesOf(() => service);

const metricsOf = async (device: string): Promise<string[]> => {
  const { body } = await service.request('GET', `/v1/telemetry/latest?device=${device}`);
  return body.data.map(({ metric }: { metric: string }) => metric).toSorted();
};
const preview = async (body: object) =>
  (await service.request('POST', '/v1/pipelines/preview', { body: { type: 'http', ...body } })).body;

describe('a pattern of metrics', () => {
  const isStored = (pattern: string, metric: string) => metricFilterOf({ include: [pattern] })?.(metric);

  test.each([
    ['temp', 'temp', true],
    ['temp', 'temp2', false],
    ['temp*', 'temp', true],
    ['*.rssi', 'wifi.rssi', true],
    ['*.rssi', 'rssi', false],
    ['*a*a', 'a', false],
    ['a*b*c', 'abc', true],
    ['a*b*b', 'ab', false],
    ['ab*ba', 'aba', false],
    ['*', 'anything', true],
    ['a.c', 'abc', false],
  ])('%s and %s: %s', (pattern, metric, expected) => {
    expect(isStored(pattern, metric)).toBe(expected);
  });

  test('matches what a regular expression with .* matches', () => {
    const text = (...letters: string[]) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 8 });
    fc.assert(
      fc.property(text('a', 'b', '.', '*'), text('a', 'b', '.'), (pattern, metric) => {
        const parts = pattern.split('*').map((part) => part.replaceAll('.', '\\.'));
        expect(isStored(pattern, metric)).toBe(new RegExp(`^${parts.join('.*')}$`).test(metric));
      }),
    );
  });
});

describe('a pipeline that includes and excludes metrics', () => {
  const config = { device: 'm', include: ['temp*', 'power.*'], exclude: ['*.raw'] };

  test('stores only these, and counts and rejects none of the others', async () => {
    const id = await create({ config: { ...config, device: 'filtered' } });
    const message = { temp1: 1, power: { w: 2, raw: 3 }, rssi: [4], note: null };
    expect(await send(id, message)).toMatchObject({ received: 2, rejected: 0, skipped: 0 });
    expect(await metricsOf('filtered')).toEqual(['power.w', 'temp1']);
    expect((await read(id)).ledger).toMatchObject({ received: 2, delivered: 2, rejected: 0, skipped: 0 });
  });

  test('reads the Penstock format, Prometheus text and the result of an expression in the same way', async () => {
    for (const [message, mapping] of [
      [{ values: { temp1: 1, rssi: 2 } }, { format: 'auto' }],
      ['temp1 1\nrssi 2\n', { format: 'auto' }],
      [{ x: 1 }, { format: 'expression', expression: '{ "values": { "temp1": x, "rssi": 2 } }' }],
    ] as const) {
      const text = typeof message === 'string' ? message : JSON.stringify(message);
      expect(await preview({ config, mapping, message: text, name: 'P' })).toMatchObject({
        samples: [{ device: expect.any(String), values: { temp1: 1 } }],
        leftOut: ['rssi'],
        rejections: [],
        skipped: false,
      });
    }
  });

  test('skips a message without any of them', async () => {
    const id = await create({ config: { ...config, device: 'silent' } });
    for (const message of [{ rssi: 4 }, { values: { rssi: 4 } }])
      expect(await send(id, message)).toMatchObject({ received: 1, rejected: 0, skipped: 1 });
    expect((await read(id)).ledger).toMatchObject({ received: 2, delivered: 0, rejected: 0, skipped: 2 });
    expect((await service.request('GET', '/v1/devices?q=silent')).body.data).toEqual([]);
    expect(await preview({ config, message: '{"rssi":4}' })).toMatchObject({
      leftOut: ['rssi'],
      skipped: true,
    });
  });

  test('leaves them out of a message that is read in slices', async () => {
    const id = await create({ config: { ...config, device: 'large' } });
    const filler = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`other${i}`, 'a'.repeat(100)]));
    expect(await send(id, { temp1: 1, ...filler })).toMatchObject({ received: 1, rejected: 0, skipped: 0 });
    expect(await send(id, filler)).toMatchObject({ received: 1, rejected: 0, skipped: 1 });
    expect(await metricsOf('large')).toEqual(['temp1']);
  });

  test('rejects a message that has no samples at all', async () => {
    expect(await preview({ config, message: '{}' })).toMatchObject({
      rejections: [{ reason: 'no-values' }],
      leftOut: [],
    });
  });

  test.each([
    [{ include: ['a b'] }, '/config/include/0'],
    [{ exclude: [''] }, '/config/exclude/0'],
    [{ exclude: Array.from({ length: 101 }, () => 'a') }, '/config/exclude'],
  ])('has patterns of metric names: %o', async (patterns, pointer) => {
    const { status, body } = await service.request('POST', '/v1/pipelines', {
      body: { name: pointer, type: 'http', interval: 10, destination: 'telemetry', config: patterns },
    });
    expect([status, body.errors?.[0]?.pointer ?? body.problems?.[0]?.pointer]).toEqual([
      expect.any(Number),
      pointer,
    ]);
  });
});
