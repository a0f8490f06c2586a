/** A gap is longer than this many steps; the same factor makes a device late. */
const GAP_STEPS = 3;

/** Points of a series at `ts + shiftMs`: rows `first` to `end`, visible or not. */
export interface SpacedPoints {
  ts: ArrayLike<number>;
  /** The number of samples of each bucket; null: unknown. */
  count: ArrayLike<number> | null;
  first: number;
  end: number;
  shiftMs: number;
  /** 0: raw samples. */
  bucketMs: number;
  /** Connects points up to this distance, regardless of their local step. */
  connectGapMs?: number | undefined;
}

/** Steps on each side of a pair of points whose median is the local step there. */
const NEIGHBOURS = 5;
/** Further steps, of which most are usual where a few samples came faster. */
const FAR_NEIGHBOURS = 20;
/** Fewer steps are not enough for a median. */
const MIN_NEIGHBOURS = 2;

/**
 * Whether there is a gap before row `row` of a part; the previous point may be in an earlier part. A distance is a gap
 * if it is longer than three local steps on both sides, so a device that changes its interval leaves none. The local
 * step is the median of the neighbouring steps, near or far, so a few faster samples leave none either; for buckets with
 * several samples, of the steps between samples. Half a bucket of tolerance covers days of 25 h.
 */
export function isGapBefore(parts: readonly SpacedPoints[], part: number, row: number): boolean {
  const here = parts[part]!;
  const isFirst = row === here.first;
  const before = isFirst ? parts[part - 1] : here;
  if (before === undefined) return false;
  const rowBefore = isFirst ? before.end - 1 : row - 1;
  const distanceMs = here.ts[row]! + here.shiftMs - before.ts[rowBefore]! - before.shiftMs;
  if (here.connectGapMs !== undefined) return distanceMs > here.connectGapMs;
  const bucketMs = Math.max(here.bucketMs, before.bucketMs);
  const missingMs = distanceMs - bucketMs;
  if (missingMs <= bucketMs / 2) return false;
  const longMs = missingMs / GAP_STEPS;
  if (!isFirst && areStepsLong(here, rowBefore, longMs)) return false;
  const earlier = countSteps(parts, isFirst ? part - 1 : part, rowBefore, -1, longMs);
  if (isStep(earlier)) return false;
  const later = countSteps(parts, part, row, 1, longMs);
  if (isStep(later)) return false;
  const all = earlier.all + later.all;
  if (all < MIN_NEIGHBOURS) return false;
  const isAtEnd = Math.min(earlier.all, later.all) < MIN_NEIGHBOURS;
  if (isAtEnd && isStep({ all, long: earlier.long + later.long })) return false;
  return !(
    isStep(countSteps(parts, isFirst ? part - 1 : part, rowBefore, -1, longMs, FAR_NEIGHBOURS)) ||
    isStep(countSteps(parts, part, row, 1, longMs, FAR_NEIGHBOURS))
  );
}

interface StepCount {
  all: number;
  /** The steps that are long enough to make the distance a usual one. */
  long: number;
}

const isStep = ({ all, long }: StepCount) => long >= MIN_NEIGHBOURS && long * 2 >= all;

/**
 * Whether the three steps before a raw sample are at least `longMs`, so at least half of five are: most samples are
 * regular, and need no count.
 */
const areStepsLong = ({ ts, first, bucketMs }: SpacedPoints, row: number, longMs: number): boolean =>
  bucketMs === 0 &&
  row - 3 >= first &&
  ts[row]! - ts[row - 1]! >= longMs &&
  ts[row - 1]! - ts[row - 2]! >= longMs &&
  ts[row - 2]! - ts[row - 3]! >= longMs;

/** Counts steps from a point, backward or forward, across parts. */
function countSteps(
  parts: readonly SpacedPoints[],
  part: number,
  row: number,
  direction: 1 | -1,
  longMs: number,
  most = NEIGHBOURS,
): StepCount {
  let [p, i, all, long] = [part, row, 0, 0];
  while (all < most) {
    const from = parts[p]!;
    const fromRow = i;
    i += direction;
    if (i < from.first || i >= from.end) {
      p += direction;
      const next = parts[p];
      if (next === undefined) break;
      i = direction === 1 ? next.first : next.end - 1;
    }
    const to = parts[p]!;
    const stepMs = Math.abs(to.ts[i]! + to.shiftMs - from.ts[fromRow]! - from.shiftMs);
    const [bucket, bucketRow] = direction === 1 ? [from, fromRow] : [to, i];
    const samples = bucket.count?.[bucketRow] ?? (bucket.bucketMs === 0 ? 1 : Infinity);
    all += 1;
    if (stepMs / Math.max(1, samples) >= longMs) long += 1;
  }
  return { all, long };
}

/** States are compared with this many steps on each side, of which one may be a gap itself. */
const STATE_NEIGHBOURS = 8;
const MIN_STATE_NEIGHBOURS = 4;

/**
 * The usual step of the samples before a row or after it. Infinity: they are irregular, like reports on change only.
 * Undefined: too few samples to tell.
 */
export function regularStepMs(ts: ArrayLike<number>, row: number, direction: 1 | -1): number | undefined {
  const steps: number[] = [];
  for (let i = row + direction; i >= 0 && i < ts.length && steps.length < STATE_NEIGHBOURS; i += direction)
    steps.push(Math.abs(ts[i]! - ts[i - direction]!));
  if (steps.length < MIN_STATE_NEIGHBOURS) return undefined;
  steps.sort((a, b) => a - b);
  const median = steps[steps.length >> 1]!;
  return steps.at(-2)! <= GAP_STEPS * median ? median : Infinity;
}

/** Two samples of a state, or a sample and the end of the range. */
interface StatePair {
  lastMs: number;
  nextMs: number;
  /** 0: raw samples. */
  bucketMs?: number;
  /** The usual steps before and after; Infinity and undefined as in `regularStepMs`. */
  stepBeforeMs: number | undefined;
  stepAfterMs?: number | undefined;
}

/**
 * Where a state ends if its samples are too far apart to connect: one usual step after the first. Undefined: it holds
 * until the second, as it does without a usual step.
 */
export const stateEndMs = ({
  lastMs,
  nextMs,
  bucketMs = 0,
  stepBeforeMs,
  stepAfterMs,
}: StatePair): number | undefined => {
  const steps = [stepBeforeMs, stepAfterMs].filter((step) => step !== undefined);
  const isGap = steps.length > 0 && nextMs - lastMs - bucketMs > GAP_STEPS * Math.max(...steps);
  if (!isGap) return undefined;
  return (
    lastMs +
    Math.max(bucketMs, stepBeforeMs !== undefined && Number.isFinite(stepBeforeMs) ? stepBeforeMs : 0)
  );
};
