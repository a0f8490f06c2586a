import type { Value } from '#contract/telemetry.ts';

const MAX_BUCKETS = 500;
const BUCKET_BYTES = 120;

type Bucket = { count: number; sum: number; min: number; max: number; last: Value; lastTs: number };

export type SampleBuckets = {
  /** `ts`: epoch ms, in any order. */
  add(ts: number, value: Value): void;
  /** The approximate size in memory. */
  bytes(): number;
  /** Sorted by time. `value`: the mean of numbers, otherwise the last value, without `min` and `max`. */
  columns(): {
    ts: number[];
    value: Value[];
    min?: number[];
    max?: number[];
    count: number[];
    bucketMs: number;
  };
};

const textBytes = (value: Value): number => (typeof value === 'string' ? 2 * value.length : 0);

const merge = (into: Bucket, from: Bucket): void => {
  into.count += from.count;
  into.sum += from.sum;
  into.min = Math.min(into.min, from.min);
  into.max = Math.max(into.max, from.max);
  if (from.lastTs < into.lastTs) return;
  into.last = from.last;
  into.lastTs = from.lastTs;
};

/** Samples of one series in at most MAX_BUCKETS buckets, whose width doubles until they are few enough. */
export const createSampleBuckets = (): SampleBuckets => {
  let bucketMs = 1;
  let buckets = new Map<number, Bucket>();
  let texts = 0;

  const put = (start: number, bucket: Bucket): void => {
    const known = buckets.get(start);
    if (known === undefined) {
      buckets.set(start, bucket);
      texts += textBytes(bucket.last);
      return;
    }
    texts -= textBytes(known.last);
    merge(known, bucket);
    texts += textBytes(known.last);
  };
  const startOf = (ts: number): number => Math.floor(ts / bucketMs) * bucketMs;

  return {
    add: (ts, value) => {
      const number = typeof value === 'number' ? value : 0;
      put(startOf(ts), { count: 1, sum: number, min: number, max: number, last: value, lastTs: ts });
      while (buckets.size > MAX_BUCKETS) {
        bucketMs *= 2;
        const finer = buckets;
        buckets = new Map();
        texts = 0;
        for (const [start, bucket] of finer) put(startOf(start), bucket);
      }
    },
    bytes: () => buckets.size * BUCKET_BYTES + texts,
    columns: () => {
      const inOrder = [...buckets].toSorted(([a], [b]) => a - b);
      const ts = inOrder.map(([start]) => start);
      const rows = inOrder.map(([, bucket]) => bucket);
      const count = rows.map((row) => row.count);
      if (rows.some(({ last }) => typeof last !== 'number'))
        return { ts, value: rows.map(({ last }) => last), count, bucketMs };
      return {
        ts,
        value: rows.map((row) => row.sum / row.count),
        min: rows.map(({ min }) => min),
        max: rows.map(({ max }) => max),
        count,
        bucketMs,
      };
    },
  };
};
