import { describe, expect, it } from 'vitest';
import { bucketGapMs, medianStepMs, rawGapMs, stateGapMs } from '#dashboard/charts/series/gaps.ts';

const every = (stepMs: number, count: number) => Array.from({ length: count }, (_, n) => n * stepMs);

describe('the gap of raw samples', () => {
  it('is three usual steps, whatever a pause adds', () => {
    const ts = [...every(1_000, 50), ...every(1_000, 50).map((at) => at + 3_600_000)];
    expect(medianStepMs(ts, 0, ts.length)).toBe(1_000);
    expect(rawGapMs(ts, 0, ts.length)).toBe(3_000);
  });

  it('connects nothing where there are no two samples', () => {
    expect(rawGapMs([5], 0, 1)).toBe(0);
    expect(rawGapMs([], 0, 0)).toBe(0);
  });
});

describe('the gap of buckets', () => {
  it('is one missing bucket where buckets hold many samples', () => {
    const gap = bucketGapMs(
      every(60_000, 20),
      Array.from({ length: 20 }, () => 12),
      60_000,
    );
    expect(gap).toBeGreaterThan(60_000);
    expect(gap).toBeLessThan(120_000);
  });

  it('is some missing buckets where a sample falls into a bucket now and then', () => {
    const sparse = bucketGapMs(
      every(60_000, 20),
      Array.from({ length: 20 }, () => 1),
      20_000,
    );
    expect(sparse).toBe(20_000 + 3 * 60_000);
  });

  it('takes a day of 25 hours for a day', () => {
    expect(bucketGapMs(every(86_400_000, 5), [24, 24, 25, 24, 24], 86_400_000)).toBeGreaterThan(
      25 * 3_600_000,
    );
  });
});

describe('the gap of states', () => {
  it('is told by the rhythm of their samples', () => {
    expect(stateGapMs(every(10_000, 20), 0, 20)).toBe(30_000);
  });

  it('is none where they are sent only as they change', () => {
    expect(stateGapMs([0, 5, 900, 910, 50_000, 50_010, 90_000, 900_000], 0, 8)).toBe(Infinity);
  });
});
