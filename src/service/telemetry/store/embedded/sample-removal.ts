import { DamagedData } from '../../../platform/storage/damaged-file.ts';
import { inTransaction, type DatabaseSync } from '../../../platform/storage/dialects/sqlite.ts';
import type { Chunk, ChunkTable } from './chunk-table.ts';
import type { Journal } from './journal.ts';
import type { RecentSamples } from './recent-samples.ts';
import type { RollupTable } from './rollup-table.ts';
import { countBefore, joinSamples, sliceSamples } from './samples.ts';
import type { SeriesRow, SeriesTable } from './series-table.ts';
import type { SeriesSamples } from './series-samples.ts';
import type { Selection } from '../telemetry-store.ts';

/** Few enough that a transaction is short: other calls are served between two of them. */
const CHUNKS_PER_STEP = 200;

type Parts = {
  readonly db: DatabaseSync;
  readonly series: SeriesTable;
  readonly chunks: ChunkTable;
  readonly recent: RecentSamples;
  readonly journal: Journal;
  readonly samples: SeriesSamples;
  readonly rollups: RollupTable;
  readonly onSeriesDeleted: () => void;
};

/** Samples that a chunk lost, and how many of them count: a sample that the journal replaces is counted with that. */
type Cut = { readonly removed: number; readonly counted: number };

/** Deletes samples, and series that have none left. */
export class SampleRemoval {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Deletes some samples with each step. Returns how many were deleted.
   * @throws DamagedData after all other series, if a series has a damaged chunk that is in the range in part
   */
  *remove({ devices, metrics, fromMs, toMs }: Selection): Generator<void, number> {
    let total = 0;
    let damage: DamagedData | undefined;
    if (fromMs >= toMs) return total;
    for (const row of this.#parts.series.pages(devices, metrics)) {
      try {
        total += yield* this.#removeFromSeries(row, fromMs, toMs);
      } catch (error) {
        if (!(error instanceof DamagedData)) throw error;
        damage ??= error;
      }
      yield;
    }
    if (damage !== undefined) throw damage;
    return total;
  }

  *#removeFromSeries(row: SeriesRow, fromMs: number, toMs: number): Generator<void, number> {
    let total = 0;
    // Chunks first: samples in the journal replace those in chunks, which must not reappear. Then chunks again, to which
    // a compaction may have moved samples meanwhile.
    total += yield* this.#removeFromChunks(row, fromMs, toMs);
    total += this.#removeRecent(row, fromMs, toMs);
    total += yield* this.#removeFromChunks(row, fromMs, toMs);
    if (this.#parts.samples.isEmpty(row.id)) {
      this.#deleteSeries(row.id);
      this.#parts.recent.forget(row.id);
      this.#parts.onSeriesDeleted();
    }
    return total;
  }

  #deleteSeries(id: number): void {
    const { db, series, rollups } = this.#parts;
    inTransaction(db, () => {
      rollups.deleteSeries(id);
      series.delete(id);
    });
  }

  *#removeFromChunks({ id, kind }: SeriesRow, fromMs: number, toMs: number): Generator<void, number> {
    const { db, chunks, recent, journal } = this.#parts;
    let total = 0;
    for (;;) {
      const found = [...chunks.range(id, fromMs, toMs, CHUNKS_PER_STEP)];
      if (found.length === 0) return total;
      const cuts = inTransaction(db, () => {
        const all = found.map((chunk) => this.#cut(chunk, kind === 'string', fromMs, toMs));
        const count = all.reduce((sum, { counted }) => sum + counted, 0);
        if (count > 0) journal.countRemoved(count);
        total += count;
        return all;
      });
      // A chunk that has samples before and after the range, and none within, is still found.
      if (cuts.every(({ removed }) => removed === 0)) return total;
      recent.find(id)?.resetChunksEnd();
      yield;
    }
  }

  /** Deletes the samples of a chunk that are in the range. */
  #cut(chunk: Chunk, isText: boolean, fromMs: number, toMs: number): Cut {
    const { chunks, samples } = this.#parts;
    const [from, to] = [Math.max(fromMs, chunk.firstTs), Math.min(toMs, chunk.lastTs + 1)];
    const replacing = samples.recentSamples(chunk.series, isText, from, to).ts;
    if (from === chunk.firstTs && to > chunk.lastTs && replacing.length === 0) {
      chunks.delete(chunk);
      return { removed: chunk.count, counted: chunk.count };
    }
    const loaded = chunks.load(chunk, isText);
    const { ts } = loaded;
    const [start, end] = [countBefore(ts, from), countBefore(ts, to)];
    if (start === end) return { removed: 0, counted: 0 };
    const replaced = replacing.filter((time) => ts[countBefore(ts, time)] === time).length;
    const kept = [sliceSamples(loaded, 0, start), sliceSamples(loaded, end)];
    chunks.delete(chunk);
    chunks.insert(chunk.series, joinSamples(kept, isText));
    return { removed: end - start, counted: end - start - replaced };
  }

  /** Deletes samples in the journal by a row that names them. Returns how many were deleted. */
  #removeRecent({ id, kind }: SeriesRow, fromMs: number, toMs: number): number {
    const { db, recent, journal, samples } = this.#parts;
    const { ts } = samples.recentSamples(id, kind === 'string', fromMs, toMs);
    if (ts.length === 0) return 0;
    inTransaction(db, () => {
      journal.appendRemoval({ series: [id], fromMs, toMs });
      journal.countRemoved(ts.length);
    });
    const found = recent.find(id);
    if (found !== undefined) recent.delete(found, fromMs, toMs);
    return ts.length;
  }
}
