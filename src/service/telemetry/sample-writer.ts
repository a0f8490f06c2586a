import { inTransaction, type DatabaseSync, type StatementSync } from '../storage/sqlite.ts';
import type { Cell, SeriesRow, SeriesTable } from './series-table.ts';
import { OUTCOME, type SeriesKey, type WriteResult } from './telemetry-store.ts';

/** A WriteBatch on its way into the thread: booleans are 0 and 1, text is its place in `texts`. */
export type PackedBatch = {
  readonly series: readonly SeriesKey[];
  readonly index: Uint32Array;
  readonly ts: Float64Array;
  readonly numbers: Float64Array;
  readonly texts: readonly string[];
};

type Known = Pick<SeriesRow, 'id' | 'kind'>;

/** Most series that are found without asking the database. */
const MAX_KNOWN = 50_000;

/** Writes batches into the samples' table. */
export class SampleWriter {
  readonly #db: DatabaseSync;
  readonly #series: SeriesTable;
  readonly #statements: Record<'insert' | 'find' | 'replace', StatementSync>;
  readonly #known = new Map<string, Known>();

  constructor(db: DatabaseSync, series: SeriesTable) {
    this.#db = db;
    this.#series = series;
    this.#statements = {
      insert: db.prepare('INSERT INTO sample (series, ts, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
      find: db.prepare('SELECT 1 FROM sample WHERE series = ? AND ts = ? AND value = ?'),
      replace: db.prepare('UPDATE sample SET value = ? WHERE series = ? AND ts = ?'),
    };
  }

  /**
   * Writes batches in one transaction, which one sync of the disk pays for. They are on disk when this returns; where
   * it throws, nothing of them is.
   */
  write(batches: readonly PackedBatch[]): WriteResult[] {
    if (this.#known.size > MAX_KNOWN) this.forget();
    try {
      return inTransaction(this.#db, () => batches.map((batch) => this.#apply(batch)));
    } catch (error) {
      this.forget();
      throw error;
    }
  }

  /** After a rollback or a removal the series may be others. */
  forget(): void {
    this.#known.clear();
  }

  #apply({ series, index, ts, numbers, texts }: PackedBatch): WriteResult {
    const found: (Known | undefined)[] = series.map(() => undefined);
    const outcome = new Uint8Array(index.length);
    const grown = new Map<number, number>();
    for (let i = 0; i < index.length; i += 1) {
      const s = index[i]!;
      const key = series[s]!;
      // A series is made for its first value, not for being named: a batch may name one and hold nothing of it.
      const { id, kind } = (found[s] ??= this.#getSeries(key));
      const cell = key.kind === 'string' ? texts[numbers[i]!]! : numbers[i]!;
      const what = kind === key.kind ? this.#put(id, ts[i]!, cell) : OUTCOME.kindMismatch;
      if (what === OUTCOME.accepted) grown.set(id, (grown.get(id) ?? 0) + 1);
      outcome[i] = what;
    }
    for (const [id, samples] of grown) this.#series.grow(id, samples);
    return { outcome, kinds: series.map(({ kind }, s) => found[s]?.kind ?? kind) };
  }

  #getSeries({ device, metric, kind }: SeriesKey): Known {
    // Neither an id nor the name of a metric can hold a line feed.
    const name = `${device}\n${metric}`;
    const known =
      this.#known.get(name) ?? this.#series.find(device, metric) ?? this.#series.insert(device, metric, kind);
    this.#known.set(name, known);
    return known;
  }

  #put(id: number, ts: number, cell: Cell): number {
    const { insert, find, replace } = this.#statements;
    if (insert.run(id, ts, cell).changes === 1) return OUTCOME.accepted;
    if (find.get(id, ts, cell) !== undefined) return OUTCOME.duplicate;
    replace.run(cell, id, ts);
    return OUTCOME.overwritten;
  }
}
