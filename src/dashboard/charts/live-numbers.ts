import { RingBuffer } from './ring-buffer.ts';

/** Columns of `folded`, in order. */
export const FOLDED = { ts: 0, avg: 1, min: 2, max: 3, count: 4 } as const;

/**
 * Live samples of one series: the newest as they came, older ones folded into buckets once they are too many, so that
 * a long window neither loses a part nor grows without bound.
 */
export class LiveNumbers {
  readonly raw: RingBuffer;
  readonly folded: RingBuffer;
  readonly bucketMs: number;
  /** The last sample in a bucket: what comes later than its bucket is left to the next query. */
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
      if (this.raw.length === this.raw.capacity) this.#fold();
      this.raw.push([ts[row]!], [value[row]!]);
    }
  }

  dropBefore(ts: number): void {
    this.raw.dropBefore(ts);
    this.folded.dropBefore(ts - this.bucketMs);
  }

  /** Moves the older half of the samples into buckets. */
  #fold(): void {
    const { ts } = this.raw;
    const value = this.raw.column(1);
    const middle = this.raw.start + Math.ceil(this.raw.length / 2);
    for (let at = this.raw.start; at < middle; at += 1) this.#addToBucket(ts[at]!, value[at]!);
    this.#foldedUntil = ts[middle - 1]!;
    this.raw.drop(middle - this.raw.start);
  }

  #addToBucket(ts: number, value: number): void {
    const bucket = Math.floor(ts / this.bucketMs) * this.bucketMs;
    const last = this.folded.end - 1;
    if (this.folded.length === 0 || this.folded.ts[last] !== bucket) {
      this.folded.push([bucket], [value], [value], [value], [1]);
      return;
    }
    const avg = this.folded.column(FOLDED.avg);
    const min = this.folded.column(FOLDED.min);
    const max = this.folded.column(FOLDED.max);
    const count = this.folded.column(FOLDED.count);
    const before = count[last]!;
    count[last] = before + 1;
    avg[last] = avg[last]! + (value - avg[last]!) / (before + 1);
    min[last] = Math.min(min[last]!, value);
    max[last] = Math.max(max[last]!, value);
  }
}
