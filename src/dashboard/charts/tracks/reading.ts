import type { TimeSpan } from '../series/time-span.ts';
import { lowerBound, nearestIndex } from '../series/search.ts';
import { isGapBefore } from '../series/gaps.ts';
import type { Part } from './track.ts';

/**
 * One point of a series. For a bucket, `value` is the mean, `low` and `high` are the range, and `bucketMs` is the
 * width.
 */
export interface Reading {
  /** The drawn position. */
  timeMs: number;
  /** The start of a bucket; else `timeMs`. */
  startMs: number;
  bucketMs: number;
  value: number;
  low: number;
  high: number;
}

/** The point nearest to a time. Inside a gap, only a point closer than `reachMs` (a few pixels). */
export function readAt(parts: readonly Part[], timeMs: number, reachMs: number): Reading | undefined {
  let best: Reading | undefined;
  for (const part of parts) {
    const index = nearestIndex(part.ts, timeMs - part.shiftMs, part.from, part.to);
    if (index < 0 || Number.isNaN(part.middle[index])) continue;
    const found = readingOf(part, index);
    if (best === undefined || Math.abs(found.timeMs - timeMs) < Math.abs(best.timeMs - timeMs)) best = found;
  }
  if (best === undefined || Math.abs(best.timeMs - timeMs) <= reachMs) return best;
  return isDrawnAt(parts, timeMs) ? best : undefined;
}

/** How many steps or buckets beyond its ends a series can be read. */
const READ_STEPS = 1.5;
const READ_BUCKETS = 0.75;

/** Whether the line crosses a time, or ends close to it. */
function isDrawnAt(parts: readonly Part[], timeMs: number): boolean {
  for (const [index, part] of parts.entries()) {
    const row = lowerBound(part.ts, timeMs - part.shiftMs, part.from, part.to);
    if (row === part.to) continue;
    if (row > part.first || index > 0) return !isGapBefore(parts, index, row);
    return part.ts[row]! + part.shiftMs - timeMs <= endReachMs(parts, index, row + 1);
  }
  const last = parts.at(-1);
  if (last === undefined) return false;
  const row = last.to - 1;
  return timeMs - last.ts[row]! - last.shiftMs <= endReachMs(parts, parts.length - 1, row);
}

/** How far beyond an end a series is read, by the step between `later` and the row before it. */
function endReachMs(parts: readonly Part[], index: number, later: number): number {
  const { ts, first, end, bucketMs } = parts[index]!;
  const ofBucket = READ_BUCKETS * bucketMs;
  if (later - 1 < first || later >= end || isGapBefore(parts, index, later)) return ofBucket;
  return Math.max(ofBucket, READ_STEPS * (ts[later]! - ts[later - 1]!));
}

function readingOf(part: Part, index: number): Reading {
  const startMs = part.ts[index]!;
  const value = part.middle[index]!;
  return {
    timeMs: startMs + part.shiftMs,
    startMs,
    bucketMs: part.bucketMs,
    value,
    low: part.low?.[index] ?? value,
    high: part.high?.[index] ?? value,
  };
}

/** The time of the point `count` points after `timeMs` (before it if negative), over all series; stops at the ends. */
export function stepFrom(
  tracks: readonly (readonly Part[])[],
  span: TimeSpan,
  timeMs: number,
  count: number,
): number {
  let at = timeMs;
  for (let left = Math.abs(count); left > 0; left -= 1) {
    const next = neighbour(tracks, at, count > 0);
    if (next === undefined || next < span.fromMs || next > span.toMs) break;
    at = next;
  }
  return at;
}

function neighbour(
  tracks: readonly (readonly Part[])[],
  timeMs: number,
  isForward: boolean,
): number | undefined {
  let best: number | undefined;
  for (const part of tracks.flat()) {
    const { ts, shiftMs, from, to } = part;
    // Middles of buckets may be halves of a millisecond; a quarter keeps them from matching twice.
    const index = isForward
      ? lowerBound(ts, timeMs - shiftMs + 0.25, from, to)
      : lowerBound(ts, timeMs - shiftMs - 0.25, from, to) - 1;
    if (index < from || index >= to) continue;
    const found = ts[index]! + shiftMs;
    if (best === undefined || (isForward ? found < best : found > best)) best = found;
  }
  return best;
}
