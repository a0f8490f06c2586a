import type { MetricKind } from '#contract/telemetry.ts';
import type { DamagedData } from '../../../platform/storage/damaged-file.ts';
import type { ChunkTable } from './chunk-table.ts';
import { Head } from './head.ts';
import { NO_PARTIAL, type Compacted, type Journal } from './journal.ts';
import type { JournalRemoval, JournalSamples } from './journal-coding.ts';
import type { Cell } from '../sample-columns.ts';

/** Series without samples in memory that are kept, so that their chunks need not be looked up with the next write. */
const MAX_IDLE_SERIES = 10_000;

/** A series in memory: its samples in the journal, and where its chunks end. */
export class RecentSeries {
  readonly id: number;
  readonly kind: MetricKind;
  readonly #chunks: ChunkTable;
  readonly #samplesPerBlock: number;
  /** Samples since the compaction that runs, or the last one, began. */
  head: Head;
  /** Samples that the running compaction moves to chunks. */
  compacting: Head | undefined;
  #chunksEnd: number | undefined;

  constructor(id: number, kind: MetricKind, chunks: ChunkTable, samplesPerBlock: number) {
    this.id = id;
    this.kind = kind;
    this.#chunks = chunks;
    this.#samplesPerBlock = samplesPerBlock;
    this.head = this.#createHead();
  }

  get isText(): boolean {
    return this.kind === 'string';
  }

  get isEmpty(): boolean {
    return this.head.length === 0 && this.compacting === undefined;
  }

  /** No sample of the series is later. */
  get lastTs(): number {
    return Math.max(this.head.lastTs, this.compacting?.lastTs ?? -Infinity, this.chunksEnd);
  }

  /** No chunk of the series ends later; −Infinity where it has none. */
  get chunksEnd(): number {
    return (this.#chunksEnd ??= this.#chunks.last(this.id)?.lastTs ?? -Infinity);
  }

  find(ts: number): Cell | undefined {
    const recent = this.head.find(ts) ?? this.compacting?.find(ts);
    return recent ?? this.#chunks.find(this.id, ts, this.isText);
  }

  /** The error of `find` if it would read a chunk that is known as damaged. */
  findDamage(ts: number): DamagedData | undefined {
    const recent = this.head.find(ts) ?? this.compacting?.find(ts);
    return recent === undefined ? this.#chunks.findDamage(this.id, ts) : undefined;
  }

  /** Adds a sample to those that the running compaction moves. */
  addCompacting(ts: number, cell: Cell): void {
    (this.compacting ??= this.#createHead()).set(ts, cell);
  }

  /** Sets the samples aside for a compaction. */
  beginCompaction(): void {
    this.compacting = this.head;
    this.head = this.#createHead();
  }

  /** The series was just inserted, so that no chunks need to be looked up. */
  assumeNoChunks(): void {
    this.#chunksEnd = -Infinity;
  }

  /** Chunks now reach `untilMs`. */
  extendChunksEnd(untilMs: number): void {
    if (this.#chunksEnd !== undefined && untilMs > this.#chunksEnd) this.#chunksEnd = untilMs;
  }

  /** The chunks changed: look up their end again. */
  resetChunksEnd(): void {
    this.#chunksEnd = undefined;
  }

  #createHead(): Head {
    return new Head(this.isText, this.#samplesPerBlock);
  }
}

/** The samples that are in the journal, by series: all that has not been moved to chunks. */
export class RecentSamples {
  readonly #chunks: ChunkTable;
  readonly #journal: Journal;
  /** The kind of a series; undefined where it was deleted. */
  readonly #kindOf: (id: number) => MetricKind | undefined;
  readonly #samplesPerBlock: number;
  readonly #series = new Map<number, RecentSeries>();
  #samples = 0;
  #seriesWithSamples = 0;

  constructor(
    chunks: ChunkTable,
    journal: Journal,
    kindOf: (id: number) => MetricKind | undefined,
    samplesPerBlock: number,
  ) {
    this.#chunks = chunks;
    this.#journal = journal;
    this.#kindOf = kindOf;
    this.#samplesPerBlock = samplesPerBlock;
    this.load();
  }

  /** Samples written since the last compaction began. */
  get samples(): number {
    return this.#samples;
  }

  /** Series written since the last compaction began. */
  get seriesWithSamples(): number {
    return this.#seriesWithSamples;
  }

  /** Reads the journal. Drops samples that a failed transaction left in memory. */
  load(): void {
    this.#series.clear();
    this.#samples = 0;
    this.#seriesWithSamples = 0;
    const compacted = this.#journal.compacted();
    for (const row of this.#journal.read()) {
      if ('removal' in row) this.#replayRemoval(row.removal);
      else this.#replay(row.samples, row.seq <= (compacted?.seq ?? 0) ? compacted : undefined);
    }
  }

  find(id: number): RecentSeries | undefined {
    return this.#series.get(id);
  }

  /** `isNew`: the series was just inserted. */
  getOrCreate(id: number, kind: MetricKind, isNew = false): RecentSeries {
    const found = this.#series.get(id);
    if (found !== undefined) return found;
    const series = new RecentSeries(id, kind, this.#chunks, this.#samplesPerBlock);
    if (isNew) series.assumeNoChunks();
    this.#series.set(id, series);
    return series;
  }

  add(series: RecentSeries, ts: number, cell: Cell): void {
    if (series.head.length === 0) this.#seriesWithSamples += 1;
    series.head.set(ts, cell);
    this.#samples += 1;
  }

  delete(series: RecentSeries, fromMs: number, toMs: number): void {
    series.head.delete(fromMs, toMs);
    series.compacting?.delete(fromMs, toMs);
  }

  /** Forgets a series, unless it has samples in memory. */
  forget(id: number): void {
    if (this.#series.get(id)?.isEmpty === true) this.#series.delete(id);
  }

  /** Drops samples of a series that are in chunks now, up to `untilMs`; `isDone`: all that were set aside. */
  dropCompacted(series: RecentSeries, untilMs: number, isDone: boolean): void {
    series.extendChunksEnd(untilMs);
    if (isDone) series.compacting = undefined;
    else series.compacting?.delete(-Infinity, untilMs + 1);
    if (isDone && this.#series.size > MAX_IDLE_SERIES) this.forget(series.id);
  }

  /** Sets the samples aside that a compaction is to move, and returns their series by id. */
  beginCompaction(): RecentSeries[] {
    for (const series of this.#series.values()) {
      if (series.head.length === 0) {
        if (this.#series.size > MAX_IDLE_SERIES) this.forget(series.id);
        continue;
      }
      series.beginCompaction();
    }
    this.#samples = 0;
    this.#seriesWithSamples = 0;
    return this.compacting();
  }

  /** The series whose samples a compaction still has to move, by id. */
  compacting(): RecentSeries[] {
    return [...this.#series.values()]
      .filter(({ compacting }) => compacting !== undefined)
      .toSorted((a, b) => a.id - b.id);
  }

  /** `compacted`: what the running compaction has done, if it moves these samples. */
  #replay({ series, ts, cells, texts }: JournalSamples, compacted: Compacted | undefined): void {
    const { series: movedSeries, partial } = compacted ?? { series: 0, partial: NO_PARTIAL };
    for (let i = 0; i < series.length; i += 1) {
      const id = series[i]!;
      // The chunks have these samples already.
      if (id <= movedSeries || (id === partial.series && ts[i]! <= partial.untilMs)) continue;
      const kind = this.#series.get(id)?.kind ?? this.#kindOf(id);
      if (kind === undefined) continue;
      const recent = this.getOrCreate(id, kind);
      const cell = recent.isText ? texts[cells[i]!]! : cells[i]!;
      if (compacted !== undefined) recent.addCompacting(ts[i]!, cell);
      else this.add(recent, ts[i]!, cell);
    }
  }

  #replayRemoval({ series, fromMs, toMs }: JournalRemoval): void {
    for (const id of series) {
      const recent = this.#series.get(id);
      if (recent !== undefined) this.delete(recent, fromMs, toMs);
    }
  }
}
