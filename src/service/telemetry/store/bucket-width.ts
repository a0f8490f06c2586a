const QUARTER_HOUR_MS = 900_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Every offset of a time zone is a whole number of quarter-hours, so local days and hours are too. */
export const WHOLE_UNITS_MS: readonly number[] = [QUARTER_HOUR_MS, HOUR_MS, DAY_MS];

/**
 * The width of buckets that are at least so wide: from ten of a unit on, whole units. These are at most a tenth fewer
 * buckets, and rollups serve them.
 */
const bucketWidthFor = (leastMs: number): number => {
  const unit = WHOLE_UNITS_MS.findLast((widthMs) => leastMs >= 10 * widthMs) ?? 1;
  return Math.ceil(leastMs / unit) * unit;
};

/**
 * The width of at most `points` buckets in a finite range. Since buckets are aligned to the epoch, a range that begins within
 * one needs one more than fit in its width: then they are wider. A single point may still become two.
 */
export const bucketWidthOf = (fromMs: number, toMs: number, points: number): number => {
  const bucketMs = bucketWidthFor((toMs - fromMs) / points);
  const count = Math.ceil(toMs / bucketMs) - Math.floor(fromMs / bucketMs);
  return count <= points || points === 1 ? bucketMs : bucketWidthFor((toMs - fromMs) / (points - 1));
};
