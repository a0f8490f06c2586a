import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWaitingSamples } from '#service/stream/waiting-samples.ts';

const DEVICE = 'dev_01jz3k5v8cf6n9qw2r4t7y0abd';
const series = (ts: number[], value: (number | string | boolean)[]) => ({
  device: DEVICE,
  metric: 'flow',
  ts,
  value,
});

describe('samples that wait for a frame', () => {
  it('are sent one by one, in order', () => {
    const waiting = createWaitingSamples();
    waiting.add(series([3, 1], [30, 10]));
    waiting.add(series([2], [20]));
    expect(waiting.take()).toEqual({ series: [series([3, 1, 2], [30, 10, 20])] });
    expect(waiting.take()).toBeUndefined();
    expect(waiting.bytes()).toBe(0);
  });

  it('are sent in buckets if there are too many, without losing a sample or an extreme', () => {
    const batch = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 100_000_000 }), fc.integer({ min: -1_000, max: 1_000 })),
      { minLength: 1, maxLength: 700 },
    );
    fc.assert(
      fc.property(fc.array(batch, { minLength: 2, maxLength: 6 }), (batches) => {
        const all = batches.flat();
        const waiting = createWaitingSamples();
        for (const each of batches)
          waiting.add(
            series(
              each.map(([ts]) => ts),
              each.map(([, value]) => value),
            ),
          );
        const [taken] = waiting.take()?.series ?? [];
        if (all.length <= 1_000) {
          expect(taken?.bucketMs).toBeUndefined();
          expect(taken?.value).toEqual(all.map(([, value]) => value));
          return;
        }
        const { ts = [], value = [], min = [], max = [], count = [], bucketMs = 0 } = taken ?? {};
        const values = all.map(([, each]) => each);
        expect(ts.length).toBeLessThanOrEqual(500);
        expect(ts).toEqual(ts.toSorted((a, b) => a - b));
        expect(count.reduce((a, b) => a + b, 0)).toBe(all.length);
        expect(count.reduce((sum, each, row) => sum + each * Number(value[row]), 0)).toBeCloseTo(
          values.reduce((a, b) => a + b, 0),
          3,
        );
        expect([Math.min(...min), Math.max(...max)]).toEqual([Math.min(...values), Math.max(...values)]);
        for (const [at] of all) expect(ts).toContain(Math.floor(at / bucketMs) * bucketMs);
      }),
      { numRuns: 30 },
    );
  });

  it('of text keep the last of each bucket', () => {
    const waiting = createWaitingSamples();
    const ts = Array.from({ length: 1_500 }, (_, number) => number);
    waiting.add(
      series(
        ts,
        ts.map((at) => `at ${at}`),
      ),
    );
    const [taken] = waiting.take()?.series ?? [];
    expect(taken?.min).toBeUndefined();
    expect(taken?.value.at(-1)).toBe('at 1499');
    expect(taken?.count?.reduce((a, b) => a + b, 0)).toBe(1_500);
  });

  it('never exceed their memory limit: excess samples are dropped with a reset', () => {
    const waiting = createWaitingSamples();
    const line = 'x'.repeat(1_000);
    let hasOverrun = false;
    for (let metric = 0; metric < 100; metric += 1)
      for (let at = 0; at < 50; at += 1) {
        if (!waiting.add({ device: DEVICE, metric: `line ${metric}`, ts: [at], value: [line] }))
          hasOverrun = true;
        expect(waiting.bytes()).toBeLessThanOrEqual(2_097_152);
      }
    expect(hasOverrun).toBe(true);
  });
});
