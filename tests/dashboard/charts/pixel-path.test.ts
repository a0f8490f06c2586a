import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf } from '#dashboard/charts/series/columns.ts';
import { PixelBand, PixelPath, traceBand, traceLine } from '#dashboard/charts/draw/pixel-path.ts';
import type { BucketColumns, RawColumns } from '#dashboard/charts/series/series.ts';
import type { Part } from '#dashboard/charts/tracks/track.ts';

const x = { base: 0, origin: 0, factor: 1 };
const y = { base: 0, origin: 100, factor: -1 };

const partOf = (columns: RawColumns | BucketColumns): Part => {
  const known = columnsOf({ columns });
  return { ...known, first: 0, end: known.ts.length, from: 0, to: known.ts.length, shiftMs: 0 };
};

/** Lines as lists of points, and the dots. */
function trace(parts: readonly Part[], columnPx = 1) {
  const path = new PixelPath();
  traceLine(parts, x, y, columnPx, path);
  const lines: [number, number][][] = [[]];
  for (let i = 0; i < path.x.length; i += 1) {
    const px = path.x.values[i] ?? 0;
    if (Number.isNaN(px)) lines.push([]);
    else lines.at(-1)?.push([px, path.y.values[i] ?? 0]);
  }
  const dots = Array.from({ length: path.dotX.length }, (_, i) => [path.dotX.values[i], path.dotY.values[i]]);
  return { lines: lines.filter((line) => line.length > 0), dots };
}

describe('the line', () => {
  it('goes through every point if there is space', () => {
    expect(trace([partOf({ ts: [0, 10, 20, 30], value: [1, 2, 3, 4] })]).lines).toEqual([
      [
        [0, 99],
        [10, 98],
        [20, 97],
        [30, 96],
      ],
    ]);
  });

  it('is open at a gap and at a missing value', () => {
    const gap = trace([partOf({ ts: [0, 10, 20, 30, 200, 210, 220], value: [1, 1, 1, 1, 2, 2, 2] })]);
    expect(gap.lines.map((line) => line.map(([px]) => px))).toEqual([
      [0, 10, 20, 30],
      [200, 210, 220],
    ]);
    const missing = trace([partOf({ ts: [0, 10, 20, 30, 40], value: [1, 1, null, 2, 2] })]);
    expect(missing.lines.map((line) => line.map(([px]) => px))).toEqual([
      [0, 10],
      [30, 40],
    ]);
  });

  it('draws a dot for an isolated point', () => {
    const { lines, dots } = trace([
      partOf({ ts: [0, 10, 20, 30, 200, 400, 410], value: [1, 1, 1, 1, 7, 2, 2] }),
    ]);
    expect(dots).toEqual([[200, 93]]);
    expect(lines).toHaveLength(2);
  });

  it('draws a dot for a run smaller than a pixel', () => {
    expect(trace([partOf({ ts: [0.1, 0.2, 0.3], value: [5, 5, 5] })])).toEqual({
      lines: [],
      dots: [[0.1, 95]],
    });
  });

  it('keeps the first, lowest, highest and last point of every column of pixels', () => {
    const sample = fc.tuple(fc.double({ min: 0.001, max: 2, noNaN: true }), fc.integer({ min: 0, max: 100 }));
    fc.assert(
      fc.property(fc.array(sample, { minLength: 2, maxLength: 400 }), (samples) => {
        let at = 0;
        const ts = samples.map(([step]) => (at += step));
        const value = samples.map(([, each]) => each);
        const part = { ...partOf({ ts, value }), connectGapMs: Infinity };
        const { lines, dots } = trace([part]);
        const points = [...lines.flat(), ...dots].map(([px = 0, py = 0]) => [px, py] as const);
        const columns = Map.groupBy(ts.keys(), (i) => Math.floor(ts[i] ?? 0));
        expect(points.length).toBeLessThanOrEqual(4 * columns.size);
        if (dots.length > 0) return;
        for (const [column, indices] of columns) {
          const all = indices.map((i) => 100 - (value[i] ?? 0));
          const kept = points.filter(([px]) => Math.floor(px) === column).map(([, py]) => py);
          expect([kept[0], Math.min(...kept), Math.max(...kept), kept.at(-1)]).toEqual([
            all[0],
            Math.min(...all),
            Math.max(...all),
            all.at(-1),
          ]);
        }
        const times = points.map(([px]) => px);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }),
    );
  });

  it('joins parts that follow one another within either one’s gap', () => {
    const history = partOf({ ts: [0, 60, 120], value: [1, 1, 1] });
    const live = partOf({ ts: [200, 201, 202], value: [2, 2, 2] });
    expect(trace([history, live]).lines).toHaveLength(1);
    expect(trace([history, { ...live, ts: live.ts.map((ts) => ts + 400) }]).lines).toHaveLength(2);
  });
});

describe('the band', () => {
  const buckets = (ts: number[], count = 9): BucketColumns => ({
    bucketMs: 10,
    ts,
    avg: ts.map(() => 50),
    min: ts.map((_, i) => 40 - i),
    max: ts.map((_, i) => 60 + i),
    count: ts.map(() => count),
  });

  function stretches(part: Part, columnPx = 1) {
    const band = new PixelBand();
    traceBand([part], x, y, columnPx, band);
    const found: { x: number; top: number; bottom: number }[][] = [[]];
    for (let i = 0; i < band.x.length; i += 1) {
      const px = band.x.values[i] ?? 0;
      if (Number.isNaN(px)) found.push([]);
      else found.at(-1)?.push({ x: px, top: band.top.values[i] ?? 0, bottom: band.bottom.values[i] ?? 0 });
    }
    return found.filter((each) => each.length > 0);
  }

  it('runs between minimum and maximum and is open where buckets are missing', () => {
    const found = stretches(partOf(buckets([0, 10, 20, 50, 60])));
    expect(found.map((each) => each.map((point) => point.x))).toEqual([
      [0, 10, 20],
      [50, 60],
    ]);
    expect(found[0]?.[1]).toEqual({ x: 10, top: 39, bottom: 61 });
  });

  it('is a bar for an isolated bucket', () => {
    const found = stretches(partOf(buckets([0, 10, 100, 200, 210])));
    expect(found[1]?.map((point) => point.x)).toEqual([95, 105]);
  });

  it('keeps the widest range of a column of pixels', () => {
    const [only] = stretches({ ...partOf(buckets([0, 10, 20, 30])), connectGapMs: 100 }, 1_000);
    expect(only?.[0]).toMatchObject({ top: 37, bottom: 63 });
  });

  it('is empty for raw samples', () => {
    expect(stretches(partOf({ ts: [0, 1], value: [1, 2] }))).toEqual([]);
  });
});
