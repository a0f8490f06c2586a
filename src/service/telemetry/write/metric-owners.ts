import { HASH_SEEDS } from '../store/hash-seeds.ts';

const hashOf = (text: string, seed: number): number => {
  let hash = seed;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), seed);
    hash ^= hash >>> 15;
  }
  return hash;
};

/** The hashes of a series: two of its device and metric, and one of its identity, which is never 0. */
export type SeriesHashes = readonly [number, number, number];

/** `identity`: distinguishes the series from others with the same metric. */
export const hashSeries = (device: string | undefined, metric: string, identity: string): SeriesHashes => {
  const name = `${device}\n${metric}`;
  return [
    hashOf(name, HASH_SEEDS[0]),
    hashOf(name, HASH_SEEDS[1]),
    hashOf(identity, HASH_SEEDS[2]) || HASH_SEEDS[2],
  ];
};

/** The series that each metric of a body belongs to. Hashes, because the texts of millions of series need too much memory. */
export class MetricOwners {
  /** A hash table with the three hashes of a series in each slot. The last is 0 in a free slot. At most half full. */
  #slots = new Int32Array(3 * 64);
  #size = 0;

  /** Whether the metric belongs to this series, as it does to the first one that claims it. */
  claim([first, second, identity]: SeriesHashes): boolean {
    const at = this.#find(first, second);
    const owner = this.#slots[at + 2]!;
    if (owner !== 0) return owner === identity;
    this.#slots.set([first, second, identity], at);
    this.#size += 1;
    if (6 * this.#size > this.#slots.length) this.#grow();
    return true;
  }

  /** The position of a metric, or of the free slot for it. */
  #find(first: number, second: number): number {
    const count = this.#slots.length / 3;
    for (let slot = first & (count - 1); ; slot = (slot + 1) & (count - 1)) {
      const at = 3 * slot;
      if (this.#slots[at + 2] === 0) return at;
      if (this.#slots[at] === first && this.#slots[at + 1] === second) return at;
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(2 * before.length);
    for (let at = 0; at < before.length; at += 3)
      if (before[at + 2] !== 0)
        this.#slots.set(before.subarray(at, at + 3), this.#find(before[at]!, before[at + 1]!));
  }
}
