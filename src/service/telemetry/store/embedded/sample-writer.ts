import type { MetricKind } from '#contract/telemetry.ts';
import {
  inTransaction,
  type DatabaseSync,
  type StatementSync,
} from '../../../platform/storage/dialects/sqlite.ts';
import { cellOf, type Cell, type SeriesRow, type SeriesTable } from './series-table.ts';
import { KINDS, SERIES_END, type PackedBatch, type PackedResult } from './packed-batch.ts';
import { OUTCOME } from '../telemetry-store.ts';

type Known = Pick<SeriesRow, 'id' | 'kind'>;

/** Most series that are found without asking the database. */
const MAX_KNOWN = 50_000;
/** Series of a batch for which the overwritten value is returned. */
const MAX_REPLACED = 20;

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
      find: db.prepare('SELECT value, value = ? AS is_same FROM sample WHERE series = ? AND ts = ?'),
      replace: db.prepare('UPDATE sample SET value = ? WHERE series = ? AND ts = ?'),
    };
  }

  /**
   * Writes batches in one transaction, which one sync of the disk pays for. They are on disk when this returns; where
   * it throws, nothing of them is.
   */
  write(batches: readonly PackedBatch[]): PackedResult[] {
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

  #apply({ names, kinds, index, ts, numbers, texts }: PackedBatch): PackedResult {
    const name = names.split(SERIES_END);
    const found: (Known | undefined)[] = name.map(() => undefined);
    const outcome = new Uint8Array(index.length);
    const grown = new Map<number, number>();
    /** By series, the latest last. */
    const replaced = new Map<number, readonly [place: number, before: Cell]>();
    for (let i = 0; i < index.length; i += 1) {
      const s = index[i]!;
      const given = KINDS[kinds[s]!]!;
      // A series is made for its first value, not for being named: a batch may name one and hold nothing of it.
      const { id, kind } = (found[s] ??= this.#getSeries(name[s]!, given));
      const cell = given === 'string' ? texts[numbers[i]!]! : numbers[i]!;
      if (kind !== given) outcome[i] = OUTCOME.kindMismatch;
      else if (this.#insert(id, ts[i]!, cell)) grown.set(id, (grown.get(id) ?? 0) + 1);
      else {
        const before = this.#replace(id, ts[i]!, cell);
        outcome[i] = before === undefined ? OUTCOME.duplicate : OUTCOME.overwritten;
        if (before === undefined) continue;
        replaced.delete(s);
        replaced.set(s, [i, before]);
        if (replaced.size > MAX_REPLACED) replaced.delete(replaced.keys().next().value!);
      }
    }
    for (const [id, samples] of grown) this.#series.grow(id, samples);
    return {
      outcome,
      kinds: kinds.map((given, s) => (found[s] === undefined ? given : KINDS.indexOf(found[s].kind))),
      ...(replaced.size > 0 && { replaced: [...replaced.values()] }),
    };
  }

  #getSeries(name: string, kind: MetricKind): Known {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const [device = '', metric = ''] = name.split('\n');
    const series = this.#series.find(device, metric) ?? this.#series.insert(device, metric, kind);
    this.#known.set(name, series);
    return series;
  }

  /** Returns false if the series already has a value at this time. */
  #insert(id: number, ts: number, cell: Cell): boolean {
    return this.#statements.insert.run(id, ts, cell).changes === 1;
  }

  /** Replaces a value and returns the previous one; undefined if both are the same. */
  #replace(id: number, ts: number, cell: Cell): Cell | undefined {
    // Compared by the database: invalid Unicode does not come back as it was stored.
    const { value, is_same: isSame } = this.#statements.find.get(cell, id, ts) ?? {};
    if (isSame === 1) return undefined;
    this.#statements.replace.run(cell, id, ts);
    return cellOf(value);
  }
}
