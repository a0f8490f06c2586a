import { describe, expect, it } from 'vitest';
import { columnsOf } from '#dashboard/charts/series/columns.ts';
import { readAt, stepFrom } from '#dashboard/charts/tracks/reading.ts';
import type { BucketColumns, RawColumns } from '#dashboard/charts/series/series.ts';
import type { Part } from '#dashboard/charts/tracks/track.ts';

const partOf = (columns: RawColumns | BucketColumns): Part => {
  const known = columnsOf({ columns });
  return {
    ...known,
    first: 0,
    end: known.ts.length,
    from: 0,
    to: known.ts.length,
    shiftMs: known.bucketMs / 2,
  };
};
const raw = partOf({ ts: [0, 10, 20, 30, 200, 210], value: [1, 2, 3, 4, 5, 6] });
const buckets = partOf({ bucketMs: 10, ts: [0, 10], avg: [5, 6], min: [4, 5], max: [9, 8], count: [3, 3] });

describe('reading a series at a time', () => {
  it('takes the nearest sample', () => {
    expect(readAt([raw], 13, 0)).toMatchObject({ timeMs: 10, value: 2, bucketMs: 0 });
    expect(readAt([raw], 999, 0)).toBeUndefined();
  });

  it('takes none within a gap, except a close one', () => {
    expect(readAt([raw], 100, 8)).toBeUndefined();
    expect(readAt([raw], 193, 8)).toMatchObject({ value: 5 });
  });

  it('returns a bucket with its range, position and start', () => {
    expect(readAt([buckets], 4, 0)).toEqual({
      timeMs: 5,
      startMs: 0,
      bucketMs: 10,
      value: 5,
      low: 4,
      high: 9,
    });
  });

  it('searches all parts', () => {
    const later = partOf({ ts: [40, 41, 42], value: [7, 8, 9] });
    expect(readAt([buckets, later], 41, 0)).toMatchObject({ value: 8 });
  });

  it('has no reading for a missing value', () => {
    expect(readAt([partOf({ ts: [0, 10], value: [null, 2] })], 0, 0)).toBeUndefined();
  });
});

describe('stepping from point to point', () => {
  const span = { fromMs: 0, toMs: 100 };

  it('visits the points of all series in turn', () => {
    const other = partOf({ ts: [5, 15], value: [1, 1] });
    const visited: number[] = [];
    for (let at = -1, last = Number.NaN; at !== last;) {
      last = at;
      at = stepFrom([[raw], [other]], span, at, 1);
      if (at !== last) visited.push(at);
    }
    expect(visited).toEqual([0, 5, 10, 15, 20, 30]);
  });

  it('goes back, by several at once, and stops at the first', () => {
    expect(stepFrom([[raw]], span, 30, -2)).toBe(10);
    expect(stepFrom([[raw]], span, 30, -20)).toBe(0);
    expect(stepFrom([[raw]], span, 101, -1)).toBe(30);
  });

  it('steps past the middle of a bucket', () => {
    expect(stepFrom([[buckets]], span, 5, 1)).toBe(15);
    expect(stepFrom([[buckets]], span, 15, -1)).toBe(5);
  });
});
