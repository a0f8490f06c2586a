import { evenGrid } from './bucket-grid.ts';
import { Buckets } from './buckets.ts';
import type { Chunk, ChunkTable } from './chunk-table.ts';
import type { RollupTable } from './rollup-table.ts';
import { clipSamples } from './samples.ts';
import type { StoreSizes } from './store-sizes.ts';

type Span = { readonly fromTs: number; readonly toTs: number };

const alignUp = (ts: number, widthMs: number): number => Math.ceil(ts / widthMs) * widthMs;

/** Builds rollups of chunks. Call it in a transaction. Series of text have none. */
export class RollupBuilder {
  readonly #chunks: ChunkTable;
  readonly #rollups: RollupTable;
  readonly #sizes: StoreSizes;

  constructor(chunks: ChunkTable, rollups: RollupTable, sizes: StoreSizes) {
    this.#chunks = chunks;
    this.#rollups = rollups;
    this.#sizes = sizes;
  }

  /** Builds the next rollup of a series, if enough chunks follow the last one, and with it one that late samples deleted. */
  advance(series: number): void {
    const last = this.#rollups.last(series)?.toTs ?? -Infinity;
    if (!this.#buildNext(series, last)) return;
    const gap = this.#firstGap(series);
    if (gap !== undefined) this.#fill(series, gap);
  }

  /** The first time between two rollups, or before the first one, that has chunks. */
  #firstGap(series: number): Span | undefined {
    const [leastMs = 1] = this.#sizes.rollupWidthsMs;
    let end = evenGrid(leastMs).startOf(this.#chunks.first(series)?.firstTs ?? Infinity);
    for (const { fromTs, toTs } of this.#rollups.within(series, -Infinity, Infinity)) {
      if (end < fromTs) return { fromTs: end, toTs: fromTs };
      end = toTs;
    }
    return undefined;
  }

  /** Builds a rollup of the first chunks after a time, if so many follow that these no longer grow. */
  #buildNext(series: number, fromTs: number): boolean {
    const { chunksPerRollup, samplesPerChunk } = this.#sizes;
    // Small chunks at the end of a series are joined, each with one up to twice as large.
    const growing = Math.ceil(Math.log2(samplesPerChunk)) + 1;
    const chunks = [...this.#chunks.range(series, fromTs, Infinity, chunksPerRollup + growing)];
    if (chunks.length < chunksPerRollup + growing) return false;
    const covered = chunks.slice(0, chunksPerRollup);
    const widthMs = this.#widthFor(covered);
    const grid = evenGrid(widthMs);
    const start = fromTs === -Infinity ? grid.startOf(covered[0]!.firstTs) : alignUp(fromTs, widthMs);
    // Chunks that are short beside a bucket: the rollup has one bucket, once the series is past it.
    const end = Math.max(grid.startOf(chunks[chunksPerRollup]!.firstTs), start + widthMs);
    if (end > this.#chunks.last(series)!.firstTs) return false;
    return this.#insert(series, { fromTs: start, toTs: end }, widthMs);
  }

  /** Builds a rollup of a gap, or of its first chunks if it has twice as many. Both its ends are ends of rollups. */
  #fill(series: number, { fromTs, toTs }: Span): void {
    const { chunksPerRollup, rollupWidthsMs } = this.#sizes;
    const chunks = [...this.#chunks.range(series, fromTs, toTs, 2 * chunksPerRollup)];
    const isLong = chunks.length === 2 * chunksPerRollup;
    const wanted = chunks.length === 0 ? 0 : this.#widthFor(chunks);
    const fitting = rollupWidthsMs.filter(
      (widthMs) => widthMs <= wanted && alignUp(fromTs, widthMs) === fromTs && fromTs + widthMs <= toTs,
    );
    const widthMs = fitting.at(-1) ?? rollupWidthsMs[0]!;
    const next = isLong ? chunks[chunksPerRollup]!.firstTs : toTs;
    const end = Math.max(evenGrid(widthMs).startOf(next), fromTs + widthMs);
    this.#insert(series, { fromTs, toTs: end }, widthMs);
  }

  /** Returns false, and inserts nothing, where a chunk is damaged. */
  #insert(series: number, { fromTs, toTs }: Span, widthMs: number): boolean {
    const buckets = new Buckets(evenGrid(widthMs));
    for (const chunk of this.#chunks.range(series, fromTs, toTs)) {
      const isInside = chunk.firstTs >= fromTs && chunk.lastTs < toTs;
      if (isInside && buckets.addWhole(chunk)) continue;
      const samples = this.#chunks.decodeUndamaged(chunk, false);
      if (samples === undefined) return false;
      buckets.add(clipSamples(samples, fromTs, toTs));
    }
    this.#rollups.insert(series, { fromTs, toTs, widthMs }, buckets.columns());
    return true;
  }

  #widthFor(chunks: readonly Chunk[]): number {
    const { rollupWidthsMs, samplesPerRollupBucket } = this.#sizes;
    const samples = chunks.reduce((sum, { count }) => sum + count, 0);
    const leastMs = ((chunks.at(-1)!.lastTs - chunks[0]!.firstTs) / samples) * samplesPerRollupBucket;
    return rollupWidthsMs.find((widthMs) => widthMs >= leastMs) ?? rollupWidthsMs.at(-1)!;
  }
}
