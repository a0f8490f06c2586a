import { WHOLE_UNITS_MS } from '../bucket-width.ts';

/** How the store cuts its work and its data. Tests set small sizes. */
export type StoreSizes = {
  /** Larger chunks save little space, and a small read decodes a whole chunk. */
  readonly samplesPerChunk: number;
  /** Samples in a block of memory, a power of 2: inserting between others moves this many at the most. */
  readonly samplesPerBlock: number;
  /** Samples of one series that a transaction of a compaction moves, about: a few milliseconds of work. */
  readonly samplesPerStep: number;
  /** Chunks that a rollup covers, about: it takes a few milliseconds to build. */
  readonly chunksPerRollup: number;
  /** The widths of the buckets of a rollup, ascending. */
  readonly rollupWidthsMs: readonly number[];
  /** A rollup has the smallest width that puts so many samples into a bucket. */
  readonly samplesPerRollupBucket: number;
};

export const STORE_SIZES: StoreSizes = {
  samplesPerChunk: 2_048,
  samplesPerBlock: 2_048,
  samplesPerStep: 8_192,
  chunksPerRollup: 64,
  rollupWidthsMs: WHOLE_UNITS_MS,
  samplesPerRollupBucket: 16,
};
