import { DamagedData } from '../../../platform/storage/damaged-file.ts';
import type { DatabaseSync, StatementSync } from '../../../platform/storage/dialects/sqlite.ts';
import {
  decodeJournalRow,
  encodeRemoval,
  encodeSamples,
  type JournalRemoval,
  type JournalRow,
  type JournalSamples,
} from './journal-coding.ts';

/**
 * Progress of the running compaction: it moves the journal up to row `seq`, and has moved all series up to `series`, and
 * the samples of `partial.series` up to `partial.untilMs`.
 */
export type Compacted = {
  readonly seq: number;
  readonly series: number;
  readonly partial: { readonly series: number; readonly untilMs: number };
};

export const NO_PARTIAL: Compacted['partial'] = { series: 0, untilMs: 0 };

/** Rows that one step deletes, or bytes of them, whichever comes first. */
const ROWS_PER_STEP = 1_000;
const BYTES_PER_STEP = 2 * 1024 * 1024;

/** The number of samples: those in chunks, and those still in the journal. */
export const COUNT_SAMPLES = 'SELECT samples + (SELECT coalesce(sum(added), 0) FROM journal) FROM progress';

/**
 * The journal: a row for each transaction that wrote or deleted samples, until a compaction has moved the samples to
 * chunks. A commit of the row, and a sync of the log after it, is what makes a write durable.
 */
export class Journal {
  readonly #statements: Record<
    'append' | 'read' | 'oldest' | 'deleteRow' | 'progress' | 'totals' | 'saveCompacted' | 'addSamples',
    StatementSync
  >;
  #lastSeq = 0;
  #recentRows = 0;
  #recentBytes = 0;
  #samples = 0;

  constructor(db: DatabaseSync) {
    this.#statements = {
      append: db.prepare('INSERT INTO journal (added, coded) VALUES (?, ?)'),
      read: db.prepare('SELECT seq, coded FROM journal ORDER BY seq'),
      oldest: db.prepare(
        `SELECT seq, added, length(coded) AS bytes FROM journal WHERE seq <= ? ORDER BY seq LIMIT ${ROWS_PER_STEP}`,
      ),
      deleteRow: db.prepare('DELETE FROM journal WHERE seq = ?'),
      progress: db.prepare('SELECT * FROM progress'),
      saveCompacted: db.prepare(
        'UPDATE progress SET compacted_seq = ?, compacted_series = ?, partial_series = ?, partial_until = ?',
      ),
      totals: db.prepare(`SELECT max(seq) AS seq, sum(added) AS added, count(*) FILTER (WHERE is_recent) AS n,
        sum(bytes) FILTER (WHERE is_recent) AS bytes
        FROM (SELECT seq, added, length(coded) AS bytes, seq > ? AS is_recent FROM journal)`),
      addSamples: db.prepare('UPDATE progress SET samples = samples + ?'),
    };
    this.load();
  }

  /** Reads the totals from the database: those in memory are wrong after a transaction that failed. */
  load(): void {
    const totals = this.#statements.totals.get(this.compacted()?.seq ?? 0);
    this.#lastSeq = Number(totals?.['seq'] ?? 0);
    this.#recentRows = Number(totals?.['n'] ?? 0);
    this.#recentBytes = Number(totals?.['bytes'] ?? 0);
    this.#samples = Number(this.#statements.progress.get()?.['samples']) + Number(totals?.['added'] ?? 0);
  }

  /** Rows since the last compaction began. */
  get recentRows(): number {
    return this.#recentRows;
  }

  /** Bytes of these rows. */
  get recentBytes(): number {
    return this.#recentBytes;
  }

  /** Samples in the store. */
  get samples(): number {
    return this.#samples;
  }

  /** `added` of the samples are new; the others replace values. The row counts once the transaction is committed. */
  append(samples: JournalSamples, added: number): void {
    this.#insert(encodeSamples(samples), added);
  }

  appendRemoval(removal: JournalRemoval): void {
    this.#insert(encodeRemoval(removal), 0);
  }

  /** Counts samples that were deleted. */
  countRemoved(samples: number): void {
    this.#statements.addSamples.run(-samples);
    this.#samples -= samples;
  }

  *read(): Generator<JournalRow & { readonly seq: number }> {
    for (const { seq, coded } of this.#statements.read.iterate()) {
      if (!(coded instanceof Uint8Array))
        throw new DamagedData(`Row ${String(seq)} of the telemetry journal is malformed.`);
      try {
        yield { seq: Number(seq), ...decodeJournalRow(coded) };
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        throw new DamagedData(`Row ${String(seq)} of the telemetry journal is malformed.`, { cause: error });
      }
    }
  }

  /** The compaction that has begun and not ended. */
  compacted(): Compacted | undefined {
    const row = this.#statements.progress.get();
    const seq = Number(row?.['compacted_seq']);
    if (seq === 0) return undefined;
    const partial = { series: Number(row?.['partial_series']), untilMs: Number(row?.['partial_until']) };
    return { seq, series: Number(row?.['compacted_series']), partial };
  }

  /** Sets all rows aside for a compaction. Returns the last one. */
  beginCompaction(): number {
    this.#recentRows = 0;
    this.#recentBytes = 0;
    return this.#lastSeq;
  }

  saveCompacted({ seq, series, partial }: Compacted): void {
    this.#statements.saveCompacted.run(seq, series, partial.series, partial.untilMs);
  }

  /** Deletes some rows up to `seq`, whose samples are in chunks. Returns false once none is left. */
  deleteSome(seq: number): boolean {
    let bytes = 0;
    const rows = this.#statements.oldest.all(seq);
    for (const row of rows) {
      this.#statements.deleteRow.run(row['seq']!);
      this.#statements.addSamples.run(row['added']!);
      bytes += Number(row['bytes']);
      if (bytes > BYTES_PER_STEP) return true;
    }
    return rows.length === ROWS_PER_STEP;
  }

  #insert(coded: Uint8Array, added: number): void {
    this.#lastSeq = Number(this.#statements.append.run(added, coded).lastInsertRowid);
    this.#recentRows += 1;
    this.#recentBytes += coded.length;
    this.#samples += added;
  }
}
