/** So many steps without a sample are a gap; the same factor by which a device is late. */
const GAP_STEPS = 3;
const SAMPLED_STEPS = 128;

/** The step in the middle of (at most 128 of) the steps of [from, to); NaN below two samples. */
export function medianStepMs(ts: ArrayLike<number>, from: number, to: number): number {
  const steps = sampledSteps(ts, from, to);
  return steps.length === 0 ? Number.NaN : steps[steps.length >> 1]!;
}

/** Whether samples come at a rhythm, so that a missing one means something (unlike reports on change only). */
function isRhythmic(ts: ArrayLike<number>, from: number, to: number): boolean {
  const steps = sampledSteps(ts, from, to);
  if (steps.length < 4) return false;
  return steps[Math.floor(steps.length * 0.9)]! <= GAP_STEPS * steps[steps.length >> 1]!;
}

/** Two neighbours further apart than this are not connected. Of raw samples: three median steps. */
export function rawGapMs(ts: ArrayLike<number>, from: number, to: number): number {
  const step = medianStepMs(ts, from, to);
  return Number.isNaN(step) ? 0 : GAP_STEPS * step;
}

/** The same for states: those that are told only when they change hold until the next one. */
export function stateGapMs(ts: ArrayLike<number>, from: number, to: number): number {
  return isRhythmic(ts, from, to) ? GAP_STEPS * medianStepMs(ts, from, to) : Infinity;
}

/**
 * The same between the starts of buckets. Where a bucket usually holds several samples, one missing bucket is a gap;
 * where samples are about as rare as buckets, an empty one is no sign of loss. The half bucket spares days of 25 h.
 */
export function bucketGapMs(
  ts: ArrayLike<number>,
  count: ArrayLike<number> | null,
  bucketMs: number,
): number {
  const step = medianStepMs(ts, 0, ts.length);
  const perBucket = count === null ? Infinity : medianOf(sampled(count, 0, count.length));
  const sampleStepMs = Number.isNaN(step) ? bucketMs : step / Math.max(1, perBucket);
  return bucketMs + Math.max(bucketMs / 2, GAP_STEPS * sampleStepMs);
}

function sampledSteps(ts: ArrayLike<number>, from: number, to: number): number[] {
  const count = to - from - 1;
  if (count < 1) return [];
  const stride = Math.max(1, Math.floor(count / SAMPLED_STEPS));
  const steps: number[] = [];
  for (let i = from + 1; i < to; i += stride) steps.push(ts[i]! - ts[i - 1]!);
  return steps.toSorted((a, b) => a - b);
}

function sampled(column: ArrayLike<number>, from: number, to: number): number[] {
  const stride = Math.max(1, Math.floor((to - from) / SAMPLED_STEPS));
  const values: number[] = [];
  for (let i = from; i < to; i += stride) values.push(column[i]!);
  return values;
}

const medianOf = (values: number[]) =>
  values.length === 0 ? 1 : values.toSorted((a, b) => a - b)[values.length >> 1]!;
