import { inTransaction, type DatabaseSync } from '../../../platform/storage/dialects/sqlite.ts';
import type { ChunkTable } from './chunk-table.ts';
import { NO_PARTIAL, type Compacted, type Journal } from './journal.ts';
import { mergeIntoChunks } from './merge-into-chunks.ts';
import type { RecentSamples, RecentSeries } from './recent-samples.ts';
import type { RollupBuilder } from './rollup-builder.ts';

/** What limits the journal before a compaction moves its samples to chunks. */
export type JournalLimit = {
  readonly samples: number;
  readonly series: number;
  readonly rows: number;
  readonly bytes: number;
};

/** The whole journal is read at a start, and its samples are in memory. */
const JOURNAL_LIMIT: JournalLimit = {
  samples: 1_000_000,
  series: 25_000,
  rows: 50_000,
  bytes: 16 * 1024 * 1024,
};
/** The share of it on a disk with little space. */
const SHORT_SHARE = 1 / 16;
/** What moving a series costs besides its samples, in samples. */
const SERIES_COST = 16;
/** The share of a compaction's work that moves samples; the rest deletes rows of the journal. */
const MOVING_SHARE = 0.9;
/** After the last series, before the rows of the journal are gone. */
const ALL_SERIES = Number.MAX_SAFE_INTEGER;

type Parts = {
  readonly db: DatabaseSync;
  readonly chunks: ChunkTable;
  readonly recent: RecentSamples;
  readonly journal: Journal;
  readonly rollups: RollupBuilder;
  /** Samples of one series that a transaction moves, about. */
  readonly samplesPerStep: number;
  readonly nowMs: () => number;
};

/**
 * Moves the samples of the journal into chunks, in short transactions between which others are served. After a kill,
 * the compaction resumes at the same series. No transaction waits for the disk: after a loss of power, the log holds
 * the transactions up to one of them, and the journal loses its rows in transactions after those that write the
 * chunks.
 */
export class Compaction {
  readonly #parts: Parts;
  readonly #limit: JournalLimit;
  #compacted: Compacted | undefined;
  /** The series that the running compaction has not moved yet. */
  #left: RecentSeries[] = [];
  /** The cost of the running compaction in samples: of all its series, and of those not moved yet. */
  #cost = { total: 0, left: 0 };
  /**
   * The cost of the samples written between the start of the compaction and its resumption, after a restart or a
   * failure.
   */
  #writtenBeforeResume = 0;
  #share = 1;

  constructor(parts: Parts, limit: JournalLimit = JOURNAL_LIMIT) {
    this.#parts = parts;
    this.#limit = limit;
    this.load();
  }

  get isRunning(): boolean {
    return this.#compacted !== undefined;
  }

  /** The share of the journal's limits written since the last compaction began: from 1 on, the next one is due. */
  get backlog(): number {
    const { recent, journal } = this.#parts;
    const { samples, series, rows, bytes } = this.#limit;
    return Math.max(
      recent.samples / samples,
      recent.seriesWithSamples / series,
      journal.recentRows / rows,
      journal.recentBytes / bytes,
    );
  }

  /**
   * Since the compaction began or was resumed, more was written than it has moved. While writes wait, the journal stays
   * below twice its limits, and no write waits long.
   */
  get isBehind(): boolean {
    if (!this.isRunning) return false;
    const { total, left } = this.#cost;
    return (
      this.#written() - this.#writtenBeforeResume > total - MOVING_SHARE * left || this.backlog > this.#share
    );
  }

  /** As `SampleStore.limitJournal`. */
  limitJournal(isShort: boolean): void {
    this.#share = isShort ? SHORT_SHARE : 1;
  }

  /** Resumes a compaction that the database records as begun. */
  load(): void {
    this.#compacted = this.#parts.journal.compacted();
    this.#setLeft(this.#parts.recent.compacting());
    this.#writtenBeforeResume = this.#written();
  }

  /** Works for about `forMs`, if there is anything to do. */
  advance(forMs: number): void {
    const { nowMs } = this.#parts;
    this.#compacted ??= this.#begin();
    const endMs = nowMs() + forMs;
    while (this.#compacted !== undefined && this.#left.length > 0 && nowMs() < endMs)
      this.#compacted = this.#moveSome(this.#compacted, endMs);
    while (this.#compacted !== undefined && this.#left.length === 0 && nowMs() < endMs) this.#deleteSome();
  }

  /** The cost of what was written since the compaction began. */
  #written(): number {
    const { samples, seriesWithSamples } = this.#parts.recent;
    return samples + SERIES_COST * seriesWithSamples;
  }

  #setLeft(series: RecentSeries[]): void {
    this.#left = series;
    const total = series.reduce((sum, { compacting }) => sum + SERIES_COST + (compacting?.length ?? 0), 0);
    this.#cost = { total, left: total };
  }

  /** Undefined while the journal is short. */
  #begin(): Compacted | undefined {
    const { recent, journal } = this.#parts;
    if (this.backlog < this.#share) return undefined;
    this.#setLeft(recent.beginCompaction());
    this.#writtenBeforeResume = 0;
    return { seq: journal.beginCompaction(), series: 0, partial: NO_PARTIAL };
  }

  /** Moves samples of some series in one transaction. Returns what is done after it. */
  #moveSome({ seq, series: done }: Compacted, endMs: number): Compacted {
    const { db, chunks, recent, journal, rollups, samplesPerStep, nowMs } = this.#parts;
    /** The series of this transaction, and until when their samples were moved. */
    const moved: {
      readonly series: RecentSeries;
      readonly count: number;
      readonly untilMs: number;
      readonly isDone: boolean;
    }[] = [];
    const compacted = inTransaction(db, () => {
      do {
        const series = this.#left[moved.length];
        if (series?.compacting === undefined) break;
        const samples = series.compacting.first(samplesPerStep);
        const count = samples.ts.length;
        const isLarge = count > 0 && mergeIntoChunks(chunks, series, samples);
        if (isLarge && !series.isText) rollups.advance(series.id);
        moved.push({
          series,
          count,
          untilMs: samples.ts[count - 1] ?? -Infinity,
          isDone: count === series.compacting.length,
        });
      } while (moved.at(-1)?.isDone === true && nowMs() < endMs);
      const part = moved.find(({ isDone }) => !isDone);
      const next: Compacted = {
        seq,
        series: moved.findLast(({ isDone }) => isDone)?.series.id ?? done,
        // A deletion may follow in the chunks: a replay must not restore these samples from the journal.
        partial: part === undefined ? NO_PARTIAL : { series: part.series.id, untilMs: part.untilMs },
      };
      journal.saveCompacted(next);
      return next;
    });
    for (const { series, count, untilMs, isDone } of moved) {
      recent.dropCompacted(series, untilMs, isDone);
      this.#cost.left -= count + (isDone ? SERIES_COST : 0);
    }
    this.#left = this.#left.slice(moved.filter(({ isDone }) => isDone).length);
    return this.#left.length === 0 ? { seq, series: ALL_SERIES, partial: NO_PARTIAL } : compacted;
  }

  /** Deletes rows of the journal whose samples are in chunks. */
  #deleteSome(): void {
    const { db, journal } = this.#parts;
    const compacted = this.#compacted;
    if (compacted === undefined) return;
    const hasMore = inTransaction(db, () => {
      journal.saveCompacted(compacted);
      const isUnfinished = journal.deleteSome(compacted.seq);
      if (!isUnfinished) journal.saveCompacted({ seq: 0, series: 0, partial: NO_PARTIAL });
      return isUnfinished;
    });
    if (!hasMore) this.#compacted = undefined;
  }
}
