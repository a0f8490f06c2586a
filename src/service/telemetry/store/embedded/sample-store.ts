import { DamagedData } from '../../../platform/storage/damaged-file.ts';
import { toError } from '../../../platform/to-error.ts';
import type { DatabaseSync } from '../../../platform/storage/dialects/sqlite.ts';
import { ChunkTable } from './chunk-table.ts';
import { Compaction, type JournalLimit } from './compaction.ts';
import { Journal } from './journal.ts';
import type { PackedResult } from './packed-batch.ts';
import { RecentSamples } from './recent-samples.ts';
import { RollupBuilder } from './rollup-builder.ts';
import { RollupTable } from './rollup-table.ts';
import { SampleReader } from './sample-reader.ts';
import { SampleRemoval } from './sample-removal.ts';
import { SampleWriter } from './sample-writer.ts';
import { SeriesTable } from './series-table.ts';
import { SeriesSamples } from './series-samples.ts';
import { STORE_SIZES, type StoreSizes } from './store-sizes.ts';
import type { Selection, WriteBatch } from '../telemetry-store.ts';

/** The store of an open database with the newest schema. Its work is in steps of a few milliseconds. */
export class SampleStore {
  readonly #series: SeriesTable;
  readonly #chunks: ChunkTable;
  readonly #reader: SampleReader;
  readonly #compaction: Compaction;
  readonly #journal: Journal;
  readonly #recent: RecentSamples;
  readonly #writer: SampleWriter;
  readonly #removal: SampleRemoval;
  /** Why the samples in memory may differ from those on disk. */
  #failure: Error | undefined;

  constructor(
    db: DatabaseSync,
    {
      nowMs = () => performance.now(),
      limit,
      sizes = STORE_SIZES,
      metricsPerDevice,
    }: {
      nowMs?: () => number;
      limit?: JournalLimit;
      sizes?: StoreSizes;
      metricsPerDevice?: number | undefined;
    } = {},
  ) {
    const series = new SeriesTable(db);
    const rollups = new RollupTable(db);
    const chunks = new ChunkTable(db, rollups, sizes.samplesPerChunk);
    const journal = new Journal(db);
    const recent = new RecentSamples(chunks, journal, (id) => series.kindOf(id), sizes.samplesPerBlock);
    const samples = new SeriesSamples(chunks, recent, rollups);
    this.#series = series;
    this.#chunks = chunks;
    this.#journal = journal;
    this.#recent = recent;
    this.#reader = new SampleReader(series, samples);
    this.#writer = new SampleWriter({ db, series, recent, journal, metricsPerDevice });
    this.#removal = new SampleRemoval({
      db,
      series,
      chunks,
      recent,
      journal,
      samples,
      rollups,
      onSeriesDeleted: () => this.#writer.forget(),
    });
    const builder = new RollupBuilder(chunks, rollups, sizes);
    const { samplesPerStep } = sizes;
    this.#compaction = new Compaction(
      { db, chunks, recent, journal, rollups: builder, samplesPerStep, nowMs },
      limit,
    );
  }

  get series(): SeriesTable {
    this.#requireIntact();
    return this.#series;
  }

  get reader(): SampleReader {
    this.#requireIntact();
    return this.#reader;
  }

  /** How far the journal is filled: from 1 on, a compaction is due. */
  get backlog(): number {
    return this.#compaction.backlog;
  }

  /** Writes should wait for the running compaction. */
  get isBehind(): boolean {
    return this.#compaction.isBehind;
  }

  /** Keeps the journal short, or as long as usual: a sample takes a tenth of the space in a chunk. */
  limitJournal(isShort: boolean): void {
    this.#compaction.limitJournal(isShort);
  }

  /** Samples in the store. */
  get samples(): number {
    return this.#journal.samples;
  }

  /**
   * Writes batches in one transaction, which the caller syncs. If it throws, no sample is stored. A batch with a sample
   * that belongs within a damaged chunk is not stored: its result is the error.
   */
  write(batches: readonly WriteBatch[]): (PackedResult | DamagedData)[] {
    for (;;) {
      const known = this.#chunks.damagedChunks;
      const damage = batches.map((batch) => (known > 0 ? this.#writer.findDamage(batch) : undefined));
      const intact = batches.filter((_, i) => damage[i] === undefined);
      try {
        const results = this.#orReload(() => this.#writer.write(intact)).values();
        return damage.map((error) => error ?? results.next().value!);
      } catch (error) {
        // The chunk is known as damaged from now on, so that its batch does not fail the others again.
        if (!(error instanceof DamagedData) || this.#chunks.damagedChunks === known) throw error;
      }
    }
  }

  /** As `SampleRemoval.remove`. */
  *remove(selection: Selection): Generator<void, number> {
    const steps = this.#removal.remove(selection);
    for (;;) {
      const step = this.#orReload(() => steps.next());
      if (step.done === true) return step.value;
      yield;
    }
  }

  /** Works on a compaction for about `forMs`, if one is due. Returns whether there is more to do. */
  compact(forMs: number): boolean {
    this.#orReload(() => this.#compaction.advance(forMs));
    return this.#compaction.isRunning;
  }

  /** Runs work. If it throws, reads the journal again: a failed transaction has changed the samples in memory. */
  #orReload<T>(work: () => T): T {
    this.#requireIntact();
    try {
      return work();
    } catch (error) {
      this.#reload();
      throw error;
    }
  }

  #reload(): void {
    try {
      this.#journal.load();
      this.#recent.load();
      this.#writer.forget();
      this.#compaction.load();
    } catch (error) {
      this.#failure = toError(error);
    }
  }

  /** Prevents all work after the journal could not be read: a compaction would delete samples that memory lacks. */
  #requireIntact(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
