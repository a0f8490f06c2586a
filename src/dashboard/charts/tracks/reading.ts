import type { TimeSpan } from '../live/live-window.ts';
import { lowerBound, nearestIndex } from '../series/search.ts';
import type { Part } from './track.ts';

/** One point of a series. Of a bucket `value` is the mean, `low` and `high` its range and `bucketMs` its width. */
export interface Reading {
  /** Where it is drawn. */
  timeMs: number;
  /** Of a bucket, where it begins; else as `timeMs`. */
  startMs: number;
  bucketMs: number;
  value: number;
  low: number;
  high: number;
}

/**
 * The point nearest to a time. Within a gap only a point closer than `reachMs` (a few pixels) is meant; elsewhere the
 * nearest neighbour is.
 */
export function readAt(parts: readonly Part[], timeMs: number, reachMs: number): Reading | undefined {
  let best: Reading | undefined;
  let reach = reachMs;
  for (const part of parts) {
    const index = nearestIndex(part.ts, timeMs - part.shiftMs, part.from, part.to);
    if (index < 0 || Number.isNaN(part.middle[index])) continue;
    reach = Math.max(reach, part.gapMs / 2);
    const found = readingOf(part, index);
    if (best === undefined || Math.abs(found.timeMs - timeMs) < Math.abs(best.timeMs - timeMs)) best = found;
  }
  return best !== undefined && Math.abs(best.timeMs - timeMs) <= reach ? best : undefined;
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

/** The time of the point `count` points after `timeMs` (before it where negative), over all series; the last one at the end. */
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
    // Half a millisecond keeps a bucket's middle from being met twice.
    const index = isForward
      ? lowerBound(ts, timeMs - shiftMs + 0.25, from, to)
      : lowerBound(ts, timeMs - shiftMs - 0.25, from, to) - 1;
    if (index < from || index >= to) continue;
    const found = ts[index]! + shiftMs;
    if (best === undefined || (isForward ? found < best : found > best)) best = found;
  }
  return best;
}
