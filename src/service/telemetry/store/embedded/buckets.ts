import type { BucketGrid } from './bucket-grid.ts';
import { statisticsOf, type ChunkStatistics } from './chunk-statistics.ts';
import type { Chunk } from './chunk-table.ts';
import type { RollupBuckets } from './rollup-coding.ts';
import type { Cell } from '../sample-columns.ts';
import { countBefore, type Samples } from './samples.ts';

type BucketStatistics = Omit<ChunkStatistics, 'first' | 'last'> & {
  readonly first: Cell;
  readonly last: Cell;
};

/** The buckets of a series, as growing columns. */
export class Buckets {
  readonly starts: number[] = [];
  readonly counts: number[] = [];
  readonly sums: number[] = [];
  readonly mins: number[] = [];
  readonly maxs: number[] = [];
  readonly firsts: Cell[] = [];
  readonly lasts: Cell[] = [];
  readonly #grid: BucketGrid;
  #end = -Infinity;

  constructor(grid: BucketGrid) {
    this.#grid = grid;
  }

  /** Adds samples by time, later than all before. */
  add({ ts, cells }: Samples): void {
    for (let i = 0; i < ts.length;) {
      this.#open(ts[i]!);
      const end = countBefore(ts, this.#end);
      // Of text, only the number of samples and the last one are served.
      const statistics = statisticsOf(cells, i, end);
      this.#add({ ...statistics, first: cells[i]!, last: cells[end - 1]! });
      i = end;
    }
  }

  /** Adds a chunk by its statistics. Returns false where it is in more than one bucket. */
  addWhole(chunk: Chunk): boolean {
    const { firstTs, lastTs } = chunk;
    const isNew = firstTs >= this.#end;
    const end = isNew ? this.#grid.endOf(this.#grid.startOf(firstTs)) : this.#end;
    if (lastTs >= end) return false;
    this.#open(firstTs);
    this.#add(chunk);
    return true;
  }

  /** Adds buckets that each are within one bucket of the grid. */
  addRollup({ starts, counts, sums, mins, maxs, firsts, lasts }: RollupBuckets): void {
    for (let i = 0; i < starts.length; i += 1) {
      this.#open(starts[i]!);
      this.#add({
        count: counts[i]!,
        sum: sums[i]!,
        min: mins[i]!,
        max: maxs[i]!,
        first: firsts[i]!,
        last: lasts[i]!,
      });
    }
  }

  /** The buckets of a series of numbers or booleans. */
  columns(): RollupBuckets {
    const column = (values: readonly Cell[]) => Float64Array.from(values, Number);
    return {
      starts: column(this.starts),
      counts: column(this.counts),
      sums: column(this.sums),
      mins: column(this.mins),
      maxs: column(this.maxs),
      firsts: column(this.firsts),
      lasts: column(this.lasts),
    };
  }

  #open(ts: number): void {
    if (ts < this.#end) return;
    const start = this.#grid.startOf(ts);
    this.#end = this.#grid.endOf(start);
    this.starts.push(start);
    this.counts.push(0);
    this.sums.push(0);
    this.mins.push(Infinity);
    this.maxs.push(-Infinity);
  }

  #add({ count, sum, min, max, first, last }: BucketStatistics): void {
    const at = this.starts.length - 1;
    this.counts[at]! += count;
    this.sums[at]! += sum;
    if (min < this.mins[at]!) this.mins[at] = min;
    if (max > this.maxs[at]!) this.maxs[at] = max;
    if (this.firsts.length === at) this.firsts.push(first);
    this.lasts[at] = last;
  }
}
