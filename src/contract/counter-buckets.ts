/**
 * Buckets of a counter as columns: ascending starts in epoch ms, and of each bucket its number of samples and their
 * extremes.
 */
export type CounterBuckets = {
  readonly bucketMs: number;
  readonly ts: ArrayLike<number>;
  readonly count?: ArrayLike<number> | undefined;
  readonly first: ArrayLike<number | null>;
  readonly last: ArrayLike<number | null>;
  readonly min: ArrayLike<number | null>;
  readonly max: ArrayLike<number | null>;
};

const at = (column: ArrayLike<number | null>, row: number): number => column[row] ?? Number.NaN;

/** From one sample to the next. A counter that falls has restarted from 0, as in Prometheus. */
export const riseBetween = (from: number, to: number): number => (to < from ? to : to - from);

/** From the first sample of a bucket to its last. A restart shows in a value below the first or above the last. */
const riseWithin = (first: number, last: number, min: number, max: number): number => {
  const hasRestarted = min < first || max > last;
  if (!hasRestarted) return last - first;
  // It rose to the highest value before the restart, unless it rose past that again: then at least to the first.
  return last + (max > last ? max - first : 0);
};

/**
 * The increase of a counter in each bucket since the last sample of the previous bucket, so the first bucket has none
 * (NaN). Of several restarts within one bucket, one is counted, and none if the counter rises past all its earlier
 * values again.
 */
export const increasesOf = ({ ts, first, last, min, max }: CounterBuckets): Float64Array => {
  const increases = new Float64Array(ts.length).fill(Number.NaN);
  for (let i = 1; i < ts.length; i += 1)
    increases[i] =
      riseBetween(at(last, i - 1), at(first, i)) +
      riseWithin(at(first, i), at(last, i), at(min, i), at(max, i));
  return increases;
};

/** Buckets on each side whose samples give the usual step between samples. */
const NEIGHBOURS = 16;

/**
 * The time from the last sample of the bucket before to the last of this one, in ms. It is not known, but follows from
 * the number of samples and their usual step: a bucket of 90 s with a sample a minute has one or two. `toMs`: the end
 * of the range, where the last bucket may be cut off.
 */
const elapsedOf = (
  { bucketMs, ts, count }: Pick<CounterBuckets, 'bucketMs' | 'ts' | 'count'>,
  toMs: number,
): ((row: number) => number) => {
  const endOf = (row: number) => Math.min(toMs, ts[row]! + bucketMs);
  const widthOf = (row: number) => endOf(row) - endOf(row - 1);
  const isWhole = (row: number) => row > 0 && row < ts.length && widthOf(row) === bucketMs;
  return (row) => {
    if (count === undefined || !isWhole(row)) return widthOf(row);
    let [buckets, samples] = [0, 0];
    for (let i = row - NEIGHBOURS; i <= row + NEIGHBOURS; i += 1) {
      if (!isWhole(i)) continue;
      buckets += 1;
      samples += count[i]!;
    }
    const stepMs = (buckets * bucketMs) / samples;
    return Math.min(bucketMs + stepMs, Math.max(bucketMs - stepMs, stepMs, count[row]! * stepMs));
  };
};

/** As `increasesOf`, per second. */
export const ratesOf = (buckets: CounterBuckets, toMs: number): Float64Array => {
  const elapsedMs = elapsedOf(buckets, toMs);
  return increasesOf(buckets).map((increase, row) =>
    Number.isNaN(increase) ? increase : (increase / Math.max(1, elapsedMs(row))) * 1_000,
  );
};
