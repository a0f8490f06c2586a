import { columnsOf, type Columns } from '../series/columns.ts';
import type { SpacedPoints } from '../series/gaps.ts';
import { FOLDED, type LiveNumbers } from '../live/live-numbers.ts';
import type { TimeSpan } from '../series/time-span.ts';
import { lowerBound } from '../series/search.ts';
import type { NumberSeries } from '../series/series.ts';

/** A part of a series with one kind of points: rows `from` to `to` of the columns. */
export interface Part extends SpacedPoints {
  ts: Float64Array;
  middle: Float64Array;
  low: Float64Array | null;
  high: Float64Array | null;
  count: Float64Array | null;
  opening: Float64Array | null;
  closing: Float64Array | null;
  from: number;
  to: number;
}

/** A whole series as one part. Buckets are drawn at their middle. */
export const wholePart = (columns: Columns, shiftMs = columns.bucketMs / 2): Part => {
  const end = columns.ts.length;
  return { ...columns, first: 0, end, from: 0, to: end, shiftMs };
};

/**
 * The parts of a series in `span`, oldest first: its history, then live samples after it. Each part includes one point
 * beyond the span, so that lines reach the edge. Valid until the next live frame.
 */
export function partsOf(
  series: NumberSeries,
  live: LiveNumbers | undefined,
  span: TimeSpan,
  connectGapMs?: number,
): Part[] {
  const history = columnsOf(series);
  const parts = historyParts(history, live, span);
  if (live !== undefined) {
    const lastMs = () => endOf(parts.at(-1));
    parts.push(...present(clip(foldedPart(live), lastMs(), span)));
    parts.push(...present(clip(rawPart(live), lastMs(), span)));
  }
  return connectGapMs === undefined ? parts : parts.map((part) => ({ ...part, connectGapMs }));
}

/**
 * The last bucket is a separate part: if the range ends within it, or live samples begin, it covers less than its width
 * and is drawn at the middle of what it covers.
 */
function historyParts(columns: Columns, live: LiveNumbers | undefined, span: TimeSpan): Part[] {
  const last = columns.ts.length - 1;
  if (last < 0) return [];
  const whole = wholePart(columns);
  if (columns.bucketMs === 0) return present(clip(whole, -Infinity, span));
  const start = columns.ts[last]!;
  const nextMs = live === undefined ? span.toMs : (firstAfter(live, start) ?? span.toMs);
  const heldMs = Math.min(columns.bucketMs, Math.max(0, nextMs - start));
  return [
    ...present(clip({ ...whole, end: last, to: last }, -Infinity, span)),
    ...present(clip({ ...whole, first: last, from: last, shiftMs: heldMs / 2 }, -Infinity, span)),
  ];
}

function firstAfter(live: LiveNumbers, ts: number): number | undefined {
  for (const buffer of [live.folded, live.raw]) {
    const index = lowerBound(buffer.ts, ts + 1, buffer.start, buffer.end);
    if (index < buffer.end) return buffer.ts[index];
  }
  return undefined;
}

function foldedPart({ folded, bucketMs }: LiveNumbers): Part {
  return {
    ts: folded.ts,
    middle: folded.column(FOLDED.avg),
    low: folded.column(FOLDED.min),
    high: folded.column(FOLDED.max),
    count: folded.column(FOLDED.count),
    opening: null,
    closing: null,
    first: folded.start,
    end: folded.end,
    from: folded.start,
    to: folded.end,
    shiftMs: bucketMs / 2,
    bucketMs,
  };
}

function rawPart({ raw }: LiveNumbers): Part {
  return {
    ts: raw.ts,
    middle: raw.column(1),
    low: null,
    high: null,
    count: null,
    opening: null,
    closing: null,
    first: raw.start,
    end: raw.end,
    from: raw.start,
    to: raw.end,
    shiftMs: 0,
    bucketMs: 0,
  };
}

function clip(part: Part, afterMs: number, span: TimeSpan): Part {
  const { ts, shiftMs } = part;
  // A point at `afterMs` exists already. Times are whole milliseconds; middles of buckets may be halves.
  const first = lowerBound(ts, afterMs - shiftMs + 0.25, part.from, part.to);
  const from = Math.max(first, lowerBound(ts, span.fromMs - shiftMs, part.from, part.to) - 1);
  const to = Math.min(part.to, lowerBound(ts, span.toMs - shiftMs, part.from, part.to) + 1);
  return { ...part, first, from, to: Math.max(from, to) };
}

const present = (part: Part) => (part.to > part.from ? [part] : []);

const endOf = (part: Part | undefined) =>
  part === undefined ? -Infinity : part.ts[part.to - 1]! + part.shiftMs;

/** The last value up to the end of the span; undefined without one in it. */
export function lastValueIn(parts: readonly Part[], span: TimeSpan): number | undefined {
  for (const { ts, middle, shiftMs, from, to } of parts.toReversed())
    for (let i = to - 1; i >= from; i -= 1) {
      const at = ts[i]! + shiftMs;
      if (at < span.fromMs) return undefined;
      if (at <= span.toMs && !Number.isNaN(middle[i])) return middle[i];
    }
  return undefined;
}

/** The smallest and largest visible value; undefined without values. */
export type Extent = readonly [min: number, max: number];

/** Includes the points next to the span, since lines run to them. */
export function extentOf(parts: readonly Part[]): Extent | undefined {
  let min = Infinity;
  let max = -Infinity;
  for (const part of parts) {
    const low = part.low ?? part.middle;
    const high = part.high ?? part.middle;
    for (let i = part.from; i < part.to; i += 1) {
      // NaN compares false both ways.
      if (low[i]! < min) min = low[i]!;
      if (high[i]! > max) max = high[i]!;
    }
  }
  return min <= max ? [min, max] : undefined;
}

export function unionOf(extents: readonly (Extent | undefined)[]): Extent | undefined {
  const known = extents.filter((extent) => extent !== undefined);
  if (known.length === 0) return undefined;
  return [Math.min(...known.map(([min]) => min)), Math.max(...known.map(([, max]) => max))];
}
