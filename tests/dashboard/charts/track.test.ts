import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLiveWindow } from '#dashboard/charts/live/live-window.ts';
import { PixelPath, traceLine } from '#dashboard/charts/draw/pixel-path.ts';
import type { NumberSeries } from '#dashboard/charts/series/series.ts';
import { partsOf, type Part } from '#dashboard/charts/tracks/track.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 21, 6);

const times = (parts: readonly Part[]) =>
  parts.flatMap((part) => Array.from(part.ts.subarray(part.from, part.to), (ts) => ts + part.shiftMs));

const lineCount = (parts: readonly Part[]) => {
  const path = new PixelPath();
  traceLine(parts, { base: START, origin: 0, factor: 1e-3 }, { base: 0, origin: 0, factor: 1 }, 1, path);
  return path.x.values.subarray(0, path.x.length).filter(Number.isNaN).length + path.dotX.length;
};

const seriesOf = (columns: NumberSeries['columns']): NumberSeries => ({
  id: 'dev_1/t',
  label: 'T',
  unit: null,
  colour: 1,
  kind: 'number',
  columns,
});

/** Buckets from START to `toMs`, of samples each second; the last one as far as it is filled. */
const bucketsUntil = (toMs: number, bucketMs: number) => {
  const ts: number[] = [];
  for (let at = Math.floor(START / bucketMs) * bucketMs; at < toMs; at += bucketMs) ts.push(at);
  const flat = (value: number) => ts.map(() => value);
  const count = ts.map((at) => Math.min(bucketMs, toMs - at) / 1_000);
  return seriesOf({ bucketMs, ts, avg: flat(5), min: flat(4), max: flat(6), count });
};

const everySecond = (fromMs: number, toMs: number) => {
  const ts = Array.from(
    { length: Math.max(0, Math.floor((toMs - fromMs) / 1_000)) },
    (_, n) => fromMs + n * 1_000,
  );
  return { series: [{ device: 'dev_1', metric: 't', ts, value: ts.map(() => 5) }] };
};

describe('what a series has to draw', () => {
  it('is one line where live samples follow a history in buckets, whenever they begin and however many come', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(10_000, MINUTE, 60 * MINUTE),
        fc.integer({ min: 1, max: 6 * 3_600 }),
        fc.integer({ min: 1, max: 3_000 }),
        fc.constantFrom(64, 1_000, 32_768),
        (bucketMs, historySeconds, liveSeconds, rawCapacity) => {
          const queriedMs = START + 3_600_000 + historySeconds * 1_000;
          const nowMs = queriedMs + liveSeconds * 1_000;
          const live = createLiveWindow({ windowMs: 8 * 3_600_000, nowMs: () => nowMs, rawCapacity });
          live.append(everySecond(queriedMs, nowMs + 1));
          const parts = partsOf(bucketsUntil(queriedMs, bucketMs), live.numbers('dev_1/t'), live.span());
          const drawn = times(parts);
          expect(drawn).toEqual(drawn.toSorted((a, b) => a - b));
          expect(new Set(drawn).size).toBe(drawn.length);
          expect(lineCount(parts)).toBe(1);
          if (liveSeconds > 5) expect(nowMs - (drawn.at(-1) ?? 0)).toBeLessThanOrEqual(2_000);
        },
      ),
      { numRuns: 60, examples: [[60 * MINUTE, 1, 2, 64]] },
    );
  });

  it('keeps a gap between the history and later samples', () => {
    const queriedMs = START + 3_600_000;
    const nowMs = queriedMs + 30 * MINUTE;
    const live = createLiveWindow({ windowMs: 8 * 3_600_000, nowMs: () => nowMs });
    live.append(everySecond(nowMs - 60_000, nowMs));
    expect(lineCount(partsOf(bucketsUntil(queriedMs, MINUTE), live.numbers('dev_1/t'), live.span()))).toBe(2);
  });

  it('takes samples once that are live and in the history', () => {
    const nowMs = START + 3_600_000;
    const live = createLiveWindow({ windowMs: 2 * 3_600_000, nowMs: () => nowMs });
    live.append(everySecond(nowMs - 20 * MINUTE, nowMs));
    const ts = Array.from({ length: 3_600 }, (_, n) => START + n * 1_000);
    const parts = partsOf(seriesOf({ ts, value: ts.map(() => 5) }), live.numbers('dev_1/t'), live.span());
    expect(times(parts)).toEqual(ts);
  });

  it('reaches one point beyond the span on either side', () => {
    const ts = Array.from({ length: 100 }, (_, n) => START + n * 1_000);
    const span = { fromMs: START + 10_500, toMs: START + 20_500 };
    const drawn = times(partsOf(seriesOf({ ts, value: ts.map(() => 1) }), undefined, span));
    expect(drawn[0]).toBe(START + 10_000);
    expect(drawn.at(-1)).toBe(START + 21_000);
  });

  it('draws a bucket at its middle, and the last one at the middle of its covered part', () => {
    const series = bucketsUntil(START + 90 * MINUTE, 60 * MINUTE);
    const drawn = times(partsOf(series, undefined, { fromMs: START, toMs: START + 90 * MINUTE }));
    expect(drawn).toEqual([START + 30 * MINUTE, START + 75 * MINUTE]);
  });

  it('is one line where a device that sent each minute now sends each second', () => {
    const series = (ts: number[]) => seriesOf({ ts, value: ts.map(() => 5) });
    const minutes = Array.from({ length: 60 }, (_, n) => START + n * MINUTE);
    const seconds = Array.from({ length: 3_600 }, (_, n) => START + 60 * MINUTE + n * 1_000);
    const span = { fromMs: START, toMs: START + 120 * MINUTE };
    expect(lineCount(partsOf(series([...minutes, ...seconds]), undefined, span))).toBe(1);

    const live = createLiveWindow({ windowMs: 2 * 3_600_000, nowMs: () => span.toMs });
    live.append(everySecond(seconds[0]!, span.toMs));
    expect(lineCount(partsOf(series(minutes), live.numbers('dev_1/t'), live.span()))).toBe(1);
  });

  it('connects across a longer gap on request', () => {
    const ts = [0, 1, 2, 3, 60, 61, 62].map((n) => START + n * 1_000);
    const series = seriesOf({ ts, value: ts.map(() => 1) });
    const span = { fromMs: START, toMs: START + 100_000 };
    expect(lineCount(partsOf(series, undefined, span))).toBe(2);
    expect(lineCount(partsOf(series, undefined, span, 60_000))).toBe(1);
  });
});
