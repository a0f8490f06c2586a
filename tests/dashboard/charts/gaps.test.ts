import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGapBefore, regularStepMs, type SpacedPoints } from '#dashboard/charts/series/gaps.ts';

const every = (stepMs: number, count: number, fromMs = 0) =>
  Array.from({ length: count }, (_, n) => fromMs + n * stepMs);

const partOf = (ts: readonly number[], more: Partial<SpacedPoints> = {}): SpacedPoints => ({
  ts,
  count: null,
  first: 0,
  end: ts.length,
  shiftMs: 0,
  bucketMs: 0,
  ...more,
});

/** The times after which the line is open. */
const gapsIn = (...parts: SpacedPoints[]) =>
  parts.flatMap((part, index) =>
    Array.from(part.ts).flatMap((_, row) =>
      isGapBefore(parts, index, row)
        ? [row > 0 ? part.ts[row - 1]! : parts[index - 1]!.ts[parts[index - 1]!.end - 1]!]
        : [],
    ),
  );
const bucketsOf = (ts: readonly number[], perBucket: number, bucketMs: number) =>
  partOf(ts, { bucketMs, count: ts.map(() => perBucket) });

describe('a gap of raw samples', () => {
  it('is longer than three usual steps, whatever a pause adds', () => {
    const ts = [...every(1_000, 50), ...every(1_000, 50, 3_600_000)];
    expect(gapsIn(partOf(ts))).toEqual([49_000]);
    const late = (ms: number) => [...every(1_000, 10), ...every(1_000, 10, 9_000 + ms)];
    expect(gapsIn(partOf(late(3_000)))).toEqual([]);
    expect(gapsIn(partOf(late(3_001)))).toEqual([9_000]);
  });

  it('needs two samples', () => {
    expect(gapsIn(partOf([5]))).toEqual([]);
    expect(gapsIn(partOf([]))).toEqual([]);
  });

  it('is none when a device changes between a step of minutes and of seconds', () => {
    const ts = [...every(60_000, 60), ...every(1_000, 3_600, 60 * 60_000)];
    expect(gapsIn(partOf(ts))).toEqual([]);
    const back = [...every(1_000, 3_600), ...every(60_000, 60, 3_600_000)];
    expect(gapsIn(partOf(back))).toEqual([]);
    const parts = [partOf(every(60_000, 60)), partOf(every(1_000, 3_600, 60 * 60_000))];
    expect(gapsIn(...parts)).toEqual([]);
  });

  it('is none between samples each minute around a few faster ones', () => {
    const minutes = every(60_000, 52);
    const burst = every(700, 5, 49 * 60_000 + 20_000);
    // The last samples each minute are followed by an outage, and then by samples every 2 s.
    const ts = [...minutes, ...burst, ...every(2_000, 20, 57 * 60_000)].toSorted((a, b) => a - b);
    expect(gapsIn(partOf(ts))).toEqual([minutes.at(-1)]);
    const live = partOf(ts.slice(-20));
    expect(gapsIn(partOf(ts.slice(0, -20)), live)).toEqual([minutes.at(-1)]);
  });

  it('is judged by the local step', () => {
    const [minutes, seconds] = [every(60_000, 60), every(1_000, 3_600, 60 * 60_000)];
    const withoutTen = seconds.filter((_, n) => n < 100 || n >= 110);
    expect(gapsIn(partOf([...minutes, ...withoutTen]))).toEqual([seconds[99]]);
    const withoutFive = minutes.filter((_, n) => n < 30 || n >= 35);
    expect(gapsIn(partOf([...withoutFive, ...seconds]))).toEqual([minutes[29]]);
  });

  it('is on both sides of an isolated sample in an outage', () => {
    const ts = [...every(1_000, 20), 300_000, ...every(1_000, 20, 500_000)];
    expect(gapsIn(partOf(ts))).toEqual([19_000, 300_000]);
    expect(gapsIn(partOf([...every(1_000, 20), 300_000, 500_000]))).toEqual([19_000, 300_000]);
  });

  it('is none at any constant step, also within parts', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 86_400_000 }),
        fc.array(fc.integer({ min: 2, max: 30 }), { minLength: 1, maxLength: 4 }),
        (stepMs, lengths) => {
          let fromMs = 0;
          const parts = lengths.map((length) => {
            const part = partOf(every(stepMs, length, fromMs));
            fromMs += length * stepMs;
            return part;
          });
          expect(gapsIn(...parts)).toEqual([]);
        },
      ),
    );
  });
});

describe('a gap of buckets', () => {
  it('is one missing bucket where buckets hold many samples', () => {
    const ts = every(60_000, 20);
    expect(gapsIn(bucketsOf(ts, 12, 60_000))).toEqual([]);
    const withoutOne = ts.filter((_, n) => n !== 10);
    expect(gapsIn(bucketsOf(withoutOne, 12, 60_000))).toEqual([ts[9]]);
    expect(gapsIn(partOf(withoutOne, { bucketMs: 60_000 }))).toEqual([ts[9]]);
  });

  it('is several missing buckets where samples are sparse', () => {
    const late = (ms: number) => [...every(60_000, 10), ...every(60_000, 10, 540_000 + ms)];
    expect(gapsIn(bucketsOf(late(20_000 + 3 * 60_000), 1, 20_000))).toEqual([]);
    expect(gapsIn(bucketsOf(late(20_001 + 3 * 60_000), 1, 20_000))).toEqual([540_000]);
  });

  it('is none when a device changes from a step of minutes to seconds', () => {
    const [minutes, seconds] = [every(60_000, 60), every(20_000, 180, 60 * 60_000)];
    const count = [...minutes.map(() => 1), ...seconds.map(() => 20)];
    expect(gapsIn(partOf([...minutes, ...seconds], { bucketMs: 20_000, count }))).toEqual([]);
  });

  it('accepts a day of 25 hours', () => {
    const [hourMs, dayMs] = [3_600_000, 86_400_000];
    const ts = [0, dayMs, 2 * dayMs, 3 * dayMs + hourMs, 4 * dayMs + hourMs];
    expect(gapsIn(partOf(ts, { bucketMs: dayMs, count: [24, 24, 25, 24, 24] }))).toEqual([]);
  });
});

describe('the usual step of states', () => {
  it('is that of the samples on this side', () => {
    const ts = [...every(60_000, 20), ...every(1_000, 20, 20 * 60_000)];
    expect([regularStepMs(ts, 20, -1), regularStepMs(ts, 20, 1)]).toEqual([60_000, 1_000]);
  });

  it('is none for reports on change, and unknown for few samples', () => {
    expect(regularStepMs([0, 5, 900, 910, 50_000, 50_010, 90_000, 900_000], 7, -1)).toBe(Infinity);
    expect(regularStepMs([0, 10, 20, 30], 3, -1)).toBeUndefined();
  });
});
