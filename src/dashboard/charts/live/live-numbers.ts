import { RingBuffer } from './ring-buffer.ts';

/** Columns of `folded`, in order. */
export const FOLDED = { ts: 0, avg: 1, min: 2, max: 3, count: 4 } as const;

type BucketColumns = {
  /** Epoch ms. */
  ts: readonly number[];
  avg: readonly number[];
  min: readonly number[];
  max: readonly number[];
  count: readonly number[];
};

/**
 * Live samples of one series: the newest raw, older ones in buckets when there are too many, so that a long window is
 * complete and bounded.
 */
export class LiveNumbers {
  readonly raw: RingBuffer;
  readonly folded: RingBuffer;
  readonly bucketMs: number;
  /** The last sample in a bucket. Samples that are late for their bucket are left to the next query. */
  #foldedUntil = -Infinity;

  constructor(bucketMs: number, rawCapacity: number, bucketCapacity: number) {
    this.bucketMs = bucketMs;
    this.raw = new RingBuffer(2, rawCapacity);
    this.folded = new RingBuffer(5, bucketCapacity);
  }

  /** `ts`: epoch ms. */
  push(ts: ArrayLike<number>, value: ArrayLike<number>): void {
    for (let row = 0; row < ts.length; row += 1) {
      if (ts[row]! <= this.#foldedUntil) continue;
      if (this.raw.length === this.raw.capacity) this.#fold(Math.ceil(this.raw.length / 2));
      this.raw.push([ts[row]!], [value[row]!]);
    }
  }

  /** Adds buckets of any width, by their starts, in order. Earlier raw samples are folded into buckets first. */
  pushBuckets({ ts, avg, min, max, count }: BucketColumns): void {
    this.#fold(this.raw.length);
    for (let row = 0; row < ts.length; row += 1)
      this.#addToBucket(ts[row]!, avg[row]!, min[row]!, max[row]!, count[row]!);
    this.#foldedUntil = Math.max(this.#foldedUntil, ts.at(-1) ?? -Infinity);
  }

  dropBefore(ts: number): void {
    this.raw.dropBefore(ts);
    this.folded.dropBefore(ts - this.bucketMs);
  }

  /** Moves the oldest samples into buckets. */
  #fold(samples: number): void {
    if (samples === 0) return;
    const { ts } = this.raw;
    const value = this.raw.column(1);
    const until = this.raw.start + samples;
    for (let at = this.raw.start; at < until; at += 1)
      this.#addToBucket(ts[at]!, value[at]!, value[at]!, value[at]!, 1);
    this.#foldedUntil = Math.max(this.#foldedUntil, ts[until - 1]!);
    this.raw.drop(samples);
  }

  #addToBucket(ts: number, avg: number, min: number, max: number, count: number): void {
    const { folded } = this;
    const bucket = Math.floor(ts / this.bucketMs) * this.bucketMs;
    const last = folded.end - 1;
    const lastTs = folded.length === 0 ? -Infinity : folded.ts[last]!;
    // Too late: left to the next query.
    if (bucket < lastTs) return;
    if (bucket > lastTs) {
      folded.push([bucket], [avg], [min], [max], [count]);
      return;
    }
    const [avgs, mins, maxes, counts] = [FOLDED.avg, FOLDED.min, FOLDED.max, FOLDED.count].map((column) =>
      folded.column(column),
    ) as [Float64Array, Float64Array, Float64Array, Float64Array];
    counts[last] = counts[last]! + count;
    avgs[last] = avgs[last]! + ((avg - avgs[last]!) * count) / counts[last];
    mins[last] = Math.min(mins[last]!, min);
    maxes[last] = Math.max(maxes[last]!, max);
  }
}
