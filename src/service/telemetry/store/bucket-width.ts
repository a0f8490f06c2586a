const QUARTER_HOUR_MS = 900_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Every offset of a time zone is a whole number of quarter-hours, so local days and hours are too. */
export const WHOLE_UNITS_MS: readonly number[] = [QUARTER_HOUR_MS, HOUR_MS, DAY_MS];

/**
 * Rounds the width of buckets up, to whole units if it has ten of them. These are at most a tenth fewer buckets, and
 * rollups have them.
 */
const roundWidth = (leastMs: number): number => {
  const unit = WHOLE_UNITS_MS.findLast((widthMs) => leastMs >= 10 * widthMs) ?? 1;
  return Math.ceil(leastMs / unit) * unit;
};

const finiteOr0 = (time: number | null): number => (time !== null && Number.isFinite(time) ? time : 0);

export type TimeRange = { readonly fromMs: number; readonly toMs: number };

/**
 * The range. An infinite end is replaced by the end of the samples. `first` and `last`: their times, null or infinite
 * without samples.
 */
export const finiteRange = (
  { fromMs, toMs }: TimeRange,
  { first, last }: { readonly first: number | null; readonly last: number | null },
): TimeRange => {
  const from = Number.isFinite(fromMs) ? fromMs : finiteOr0(first);
  const to = Number.isFinite(toMs) ? toMs : finiteOr0(last) + 1;
  return { fromMs: from, toMs: Math.max(from + 1, to) };
};

/**
 * The width of at most `points` buckets in a finite range, or `leastBucketMs` if that is wider. Since buckets are
 * aligned to the epoch, a range that begins within one needs one more than fit in its width: then they are wider. A
 * single point may still become two.
 */
export const bucketWidthFor = ({ fromMs, toMs }: TimeRange, points: number, leastBucketMs = 0): number => {
  const bucketMs = roundWidth((toMs - fromMs) / points);
  const count = Math.ceil(toMs / bucketMs) - Math.floor(fromMs / bucketMs);
  const isEnough = count <= points || points === 1;
  return Math.max(isEnough ? bucketMs : roundWidth((toMs - fromMs) / (points - 1)), leastBucketMs);
};
