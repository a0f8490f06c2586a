import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FOLDED, LiveNumbers } from '#dashboard/charts/live/live-numbers.ts';

const held = (live: LiveNumbers) => {
  const { raw, folded } = live;
  let count = raw.length;
  let sum = 0;
  let min = Infinity;
  let max = -Infinity;
  for (let i = raw.start; i < raw.end; i += 1) {
    const value = raw.column(1)[i] ?? 0;
    sum += value;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  for (let i = folded.start; i < folded.end; i += 1) {
    const buckets = folded.column(FOLDED.count)[i] ?? 0;
    count += buckets;
    sum += buckets * (folded.column(FOLDED.avg)[i] ?? 0);
    min = Math.min(min, folded.column(FOLDED.min)[i] ?? 0);
    max = Math.max(max, folded.column(FOLDED.max)[i] ?? 0);
  }
  return { count, sum, min, max };
};

describe('live samples of a series', () => {
  it('lose no sample, extreme or sum when folded', () => {
    const values = fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(
        values,
        fc.integer({ min: 2, max: 40 }),
        fc.integer({ min: 1, max: 50 }),
        (value, capacity, bucketMs) => {
          const live = new LiveNumbers(bucketMs, capacity, 1_000);
          live.push(
            value.map((_, n) => n * 3),
            value,
          );
          const found = held(live);
          expect(found.count).toBe(value.length);
          expect(found.sum).toBeCloseTo(
            value.reduce((a, b) => a + b, 0),
            6,
          );
          expect(found.min).toBe(Math.min(...value));
          expect(found.max).toBe(Math.max(...value));
          expect(live.raw.length).toBeLessThanOrEqual(capacity);
        },
      ),
    );
  });

  it('append buckets with their extremes after samples', () => {
    const live = new LiveNumbers(10, 8, 100);
    live.push([0, 4, 12], [5, 7, 9]);
    live.pushBuckets({ ts: [16, 24], avg: [2, 30], min: [-50, 10], max: [3, 80], count: [4, 6] });
    live.push([31], [1]);
    expect(held(live)).toEqual({ count: 14, sum: 5 + 7 + 9 + 4 * 2 + 6 * 30 + 1, min: -50, max: 80 });
    expect(live.raw.length).toBe(1);
  });

  it('leave a late sample to the next query', () => {
    const live = new LiveNumbers(10, 4, 10);
    live.push([0, 1, 2, 3, 4, 5], [1, 1, 1, 1, 1, 1]);
    live.push([1], [99]);
    expect(held(live)).toMatchObject({ count: 6, max: 1 });
  });

  it('drop samples that have left the window', () => {
    const live = new LiveNumbers(10, 8, 100);
    live.push(
      Array.from({ length: 40 }, (_, n) => n),
      Array.from({ length: 40 }, () => 1),
    );
    live.dropBefore(30);
    expect(live.folded.ts[live.folded.start]).toBeGreaterThanOrEqual(20);
  });
});
