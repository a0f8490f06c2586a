import { countBefore } from './samples.ts';

/** Where buckets begin and end: the start of the bucket of a time, and the end of the bucket that starts there. */
export type BucketGrid = {
  readonly startOf: (ts: number) => number;
  readonly endOf: (start: number) => number;
  /** Whether every bucket starts at a multiple of `widthMs`. */
  readonly isAlignedTo: (widthMs: number) => boolean;
};

/** Buckets of one width, aligned to multiples of it since the epoch, before it as well. */
export const evenGrid = (bucketMs: number): BucketGrid => ({
  startOf: (ts) => Math.floor(ts / bucketMs) * bucketMs,
  endOf: (start) => start + bucketMs,
  isAlignedTo: (widthMs) => bucketMs % widthMs === 0,
});

/** How many of ascending `starts` are at `ts` or before. */
const countUpTo = (starts: Float64Array, ts: number): number => countBefore(starts, ts + 1);

/** Buckets that begin at `starts`, ascending, and end where the next one begins; the last has no end. */
export const listedGrid = (starts: Float64Array): BucketGrid => {
  const aligned = new Map<number, boolean>();
  const isAlignedTo = (widthMs: number): boolean => {
    const isAligned = aligned.get(widthMs) ?? starts.every((start) => start % widthMs === 0);
    aligned.set(widthMs, isAligned);
    return isAligned;
  };
  return {
    startOf: (ts) => starts[Math.max(0, countUpTo(starts, ts) - 1)] ?? ts,
    endOf: (start) => starts[countUpTo(starts, start)] ?? Infinity,
    isAlignedTo,
  };
};
