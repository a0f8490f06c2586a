import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { httpPipelinesOf } from './http-pipelines.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const { create, send, read, rejections } = httpPipelinesOf(() => service);
const stored = async (device: string) => {
  const { body } = await service.request('GET', `/v1/telemetry?device=${device}&from=0&to=%2B1h`);
  return body.series.map(({ metric, ts, value }: Record<string, unknown[]>) => [metric, ts, value]);
};

const TS = 1_700_000_000_000;

describe('a message that gives different values for one device, metric and time', () => {
  test('is rejected without storing any of them, with the metrics and what to do', async () => {
    const id = await create({ config: { device: 'server-1' } });
    const at = TS / 1_000;
    const answer = await send(id, [
      { quantity: 'sys.cpu.nice', timestamp: at, reading: 18 },
      { quantity: 'sys.cpu.user', timestamp: at, reading: 19 },
    ]);
    expect(answer).toMatchObject({
      received: 4,
      rejected: 4,
      rejections: [{ reason: 'ts-collision', samples: 4, detail: expect.stringContaining('sys.cpu.nice') }],
    });
    expect((await read(id)).ledger).toMatchObject({ received: 4, delivered: 0, rejected: 4 });
    expect(await rejections(id)).toEqual([
      expect.objectContaining({
        reason: 'ts-collision',
        samples: 4,
        detail:
          'quantity, reading: The message contains different values for the same device and time: quantity of server-1 at 2023-11-14T22:13:20.000Z is both "sys.cpu.nice" and "sys.cpu.user". None of these samples is stored. Give each value its own metric name or device, for example with an expression.',
      }),
    ]);
  });

  test('has its other samples stored', async () => {
    const id = await create();
    const cpu = (name: string, usage_idle: number) => ({
      device: 'telegraf',
      ts: TS,
      values: { usage_idle, [`seen.${name}`]: true },
    });
    const samples = [cpu('cpu0', 91), cpu('cpu1', 87), cpu('total', 89)];
    expect(await send(id, { samples: [...samples, { ...cpu('cpu0', 90), ts: TS + 1 }] })).toMatchObject({
      received: 8,
      rejected: 3,
      overwritten: 0,
    });
    expect(await stored('telegraf')).toEqual([
      ['seen.cpu0', [TS, TS + 1], [true, true]],
      ['seen.cpu1', [TS], [true]],
      ['seen.total', [TS], [true]],
      ['usage_idle', [TS + 1], [90]],
    ]);
  });

  test('is detected for timestamps in any notation and values of any type', async () => {
    const id = await create();
    const sample = (ts: unknown, n: unknown) => ({ device: 'mixed', ts, values: { n } });
    const written = [TS, new Date(TS).toISOString(), String(TS)].map((ts, n) => sample(ts, n));
    expect(await send(id, written)).toMatchObject({ received: 3, rejected: 3 });
    expect(await send(id, [sample(TS, 1), sample(TS, true)])).toMatchObject({ received: 2, rejected: 2 });
  });

  test('can repeat equal samples, and have several samples without a timestamp', async () => {
    const id = await create({ config: { device: 'equal' } });
    const equal = Array.from({ length: 3 }, () => ({ device: 'equal', ts: TS, values: { n: 7 } }));
    expect(await send(id, equal)).toMatchObject({ received: 3, rejected: 0, overwritten: 0 });
    expect(await send(id, [{ t: 1 }, { t: 2 }, { t: 3 }])).toMatchObject({ received: 3, rejected: 0 });
    const series = await stored('equal');
    expect(series).toMatchObject([
      ['n', [TS], [7]],
      ['t', expect.any(Array), [1, 2, 3]],
    ]);
  });

  test('is also rejected in the preview, and with an expression', async () => {
    const message = JSON.stringify({ device: 'p', at: TS, cpus: [18, 19] });
    const expression = '{ "samples": cpus.{ "device": "p", "ts": $$.at, "values": { "idle": $ } } }';
    const { body } = await service.request('POST', '/v1/pipelines/preview', {
      body: { mapping: { format: 'expression', expression }, message },
    });
    expect(body).toMatchObject({
      samples: [],
      rejections: [{ reason: 'ts-collision', detail: expect.stringMatching(/^idle: .* 18 and 19\./) }],
    });
  });

  test('is accepted by a replay once an expression gives each value its own metric', async () => {
    const id = await create();
    const samples = [18, 19].map((idle) => ({ device: 'apart', ts: TS, values: { idle } }));
    await send(id, { samples });
    const expression =
      '{ "samples": samples#$i.$merge([$, { "values": { "cpu" & $i & ".idle": values.idle } }]) }';
    await service.request('PATCH', `/v1/pipelines/${id}`, {
      body: { mapping: { format: 'expression', expression } },
    });
    const replay = await service.request('POST', `/v1/pipelines/${id}/rejections/replay`, {
      body: { reason: 'ts-collision' },
    });
    expect(replay.body).toEqual({ replayed: 2, rejected: 0, skipped: 0 });
    expect(await stored('apart')).toEqual([
      ['cpu0.idle', [TS], [18]],
      ['cpu1.idle', [TS], [19]],
    ]);
  });

  test('stores at most one value for each series and timestamp', async () => {
    const sample = fc.record({
      device: fc.constantFrom('any-1', 'any-2', 'not one'),
      ts: fc.oneof(fc.constantFrom(TS, TS + 1, new Date(TS).toISOString(), 'never')),
      values: fc.dictionary(
        fc.constantFrom('a', 'b', 'no spaces'),
        fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constantFrom(null, 'text')),
        { maxKeys: 3 },
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(sample, { minLength: 1, maxLength: 6 }), async (samples) => {
        const id = await create();
        const { received, rejected, overwritten } = await send(id, { samples });
        const values = samples.reduce((sum, each) => sum + Math.max(1, Object.keys(each.values).length), 0);
        expect(received).toBe(values);
        // The accepted values do not contradict each other, so sending them again changes nothing.
        expect((await send(id, { samples })).overwritten).toBe(0);
        expect(overwritten).toBeLessThanOrEqual(received - rejected);
      }),
      { numRuns: 60 },
    );
  });
});

test('samples that a destination rejected are replayed together without collisions', async () => {
  // They come from several messages, each of which was mapped before.
  const refused = [1, 2].map((n) => ({ device: 'mapped', ts: TS, values: { n } }));
  const id = await create();
  const { db } = service.service.parts;
  const row = {
    pipeline_id: id,
    at: service.service.parts.now(),
    reason: 'destination-refused',
    detail: 'Too large.',
    message: JSON.stringify({ samples: refused }),
    topic: null,
    attempts: 1,
    value_count: 2,
    message_id: 'rej_01jz3k5v8cf6n9qw2r4t7y0abd',
    id: 'rej_01jz3k5v8cf6n9qw2r4t7y0abd',
    is_whole: 1,
    message_values: 2,
    device: null,
    sender_devices: null,
    sender: null,
    is_mapped: 1,
  };
  await db.insertInto('rejection').values(row).execute();
  const replay = await service.request('POST', `/v1/pipelines/${id}/rejections/replay`, {
    body: { all: true },
  });
  expect(replay.body).toMatchObject({ replayed: 2, rejected: 0 });
});
