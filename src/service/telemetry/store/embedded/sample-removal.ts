import {
  inTransaction,
  type DatabaseSync,
  type StatementSync,
} from '../../../platform/storage/dialects/sqlite.ts';
import type { SeriesTable } from './series-table.ts';
import type { Selection } from '../telemetry-store.ts';

/** Short enough a transaction that others are served between two. */
const SAMPLES_PER_STEP = 10_000;

/** Deletes samples, and series that have none left. */
export class SampleRemoval {
  readonly #db: DatabaseSync;
  readonly #series: SeriesTable;
  readonly #delete: StatementSync;

  constructor(db: DatabaseSync, series: SeriesTable) {
    this.#db = db;
    this.#series = series;
    this.#delete = db.prepare(`DELETE FROM sample WHERE series = :id AND ts IN (
      SELECT ts FROM sample WHERE series = :id AND ts >= :fromMs AND ts < :toMs ORDER BY ts LIMIT ${SAMPLES_PER_STEP})`);
  }

  /** Deletes a part with each step; returns at its end how many samples went. */
  *remove({ devices, metrics, fromMs, toMs }: Selection): Generator<void, number> {
    let total = 0;
    for (const { id } of this.#series.select(devices, metrics)) {
      for (let removed = SAMPLES_PER_STEP; removed === SAMPLES_PER_STEP;) {
        removed = inTransaction(this.#db, () => {
          const changes = Number(this.#delete.run({ id, fromMs, toMs }).changes);
          if (changes > 0) this.#series.grow(id, -changes);
          return changes;
        });
        total += removed;
        yield;
      }
    }
    return total;
  }
}
