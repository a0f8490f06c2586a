import { columnsOf, type Columns } from '../series/columns.ts';
import { rawGapMs } from '../series/gaps.ts';
import { FOLDED, type LiveNumbers } from '../live/live-numbers.ts';
import type { TimeSpan } from '../live/live-window.ts';
import { lowerBound } from '../series/search.ts';
import type { NumberSeries } from '../series/series.ts';

/** A stretch of one series that is drawn in one manner: rows `from` to `to` of the columns. */
export interface Part {
  ts: Float64Array;
  middle: Float64Array;
  low: Float64Array | null;
  high: Float64Array | null;
  count: Float64Array | null;
  from: number;
  to: number;
  /** A point stands at `ts + shiftMs`: a bucket's in its middle. */
  shiftMs: number;
  bucketMs: number;
  gapMs: number;
}

/** Samples below which a live part's own rhythm is not trusted yet. */
const TRUSTED_SAMPLES = 8;

/**
 * What a series has to draw in `span`, oldest first: its history, then what came live after it. Each part reaches one
 * point beyond the span, so that lines run to the edge. Valid until the next live frame.
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
    parts.push(...present(clip(foldedPart(live, history.gapMs), lastMs(), span)));
    parts.push(...present(clip(rawPart(live, history.gapMs), lastMs(), span)));
  }
  return connectGapMs === undefined ? parts : parts.map((part) => ({ ...part, gapMs: connectGapMs }));
}

/**
 * The last bucket is a part of its own: where the range ends within it, or live samples begin, it holds less than its
 * width and stands in the middle of what it holds.
 */
function historyParts(columns: Columns, live: LiveNumbers | undefined, span: TimeSpan): Part[] {
  const last = columns.ts.length - 1;
  if (last < 0) return [];
  const whole = { ...columns, from: 0, to: last + 1, shiftMs: columns.bucketMs / 2 };
  if (columns.bucketMs === 0) return present(clip(whole, -Infinity, span));
  const start = columns.ts[last]!;
  const nextMs = live === undefined ? span.toMs : (firstAfter(live, start) ?? span.toMs);
  const heldMs = Math.min(columns.bucketMs, Math.max(0, nextMs - start));
  return [
    ...present(clip({ ...whole, to: last }, -Infinity, span)),
    ...present(clip({ ...whole, from: last, shiftMs: heldMs / 2 }, -Infinity, span)),
  ];
}

function firstAfter(live: LiveNumbers, ts: number): number | undefined {
  for (const buffer of [live.folded, live.raw]) {
    const index = lowerBound(buffer.ts, ts + 1, buffer.start, buffer.end);
    if (index < buffer.end) return buffer.ts[index];
  }
  return undefined;
}

function foldedPart({ folded, bucketMs }: LiveNumbers, historyGapMs: number): Part {
  return {
    ts: folded.ts,
    middle: folded.column(FOLDED.avg),
    low: folded.column(FOLDED.min),
    high: folded.column(FOLDED.max),
    count: folded.column(FOLDED.count),
    from: folded.start,
    to: folded.end,
    shiftMs: bucketMs / 2,
    bucketMs,
    gapMs: Math.max(historyGapMs, rawGapMs(folded.ts, folded.start, folded.end)),
  };
}

function rawPart({ raw }: LiveNumbers, historyGapMs: number): Part {
  const ownGapMs = rawGapMs(raw.ts, raw.start, raw.end);
  return {
    ts: raw.ts,
    middle: raw.column(1),
    low: null,
    high: null,
    count: null,
    from: raw.start,
    to: raw.end,
    shiftMs: 0,
    bucketMs: 0,
    gapMs: raw.length < TRUSTED_SAMPLES ? Math.max(historyGapMs, ownGapMs) : ownGapMs,
  };
}

function clip(part: Part, afterMs: number, span: TimeSpan): Part {
  const { ts, shiftMs } = part;
  // A point at afterMs itself is there already; times are whole milliseconds, middles of buckets may be halves.
  const first = lowerBound(ts, afterMs - shiftMs + 0.25, part.from, part.to);
  const from = Math.max(first, lowerBound(ts, span.fromMs - shiftMs, part.from, part.to) - 1);
  const to = Math.min(part.to, lowerBound(ts, span.toMs - shiftMs, part.from, part.to) + 1);
  return { ...part, from, to: Math.max(from, to) };
}

const present = (part: Part) => (part.to > part.from ? [part] : []);

const endOf = (part: Part | undefined) =>
  part === undefined ? -Infinity : part.ts[part.to - 1]! + part.shiftMs;
