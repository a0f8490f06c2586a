import type {
  DatabaseSync,
  SQLOutputValue,
  StatementSync,
} from '../../../platform/storage/dialects/sqlite.ts';
import { decodeRollup, encodeRollup, type RollupBuckets } from './rollup-coding.ts';

/** Buckets of `widthMs` over all samples of a series in chunks with `fromTs` ≤ ts < `toTs`, both multiples of `widthMs`. */
export type Rollup = {
  readonly id: number;
  readonly fromTs: number;
  readonly toTs: number;
  readonly widthMs: number;
  readonly buckets: number;
};

const rollupOf = (row: Record<string, SQLOutputValue>): Rollup => ({
  id: Number(row['id']),
  fromTs: Number(row['from_ts']),
  toTs: Number(row['to_ts']),
  widthMs: Number(row['width_ms']),
  buckets: Number(row['buckets']),
});

/** The rollups of all series. Those of a series do not overlap. What is missing is read from chunks. */
export class RollupTable {
  readonly #statements: Record<
    'insert' | 'deleteOverlapping' | 'deleteAll' | 'range' | 'last' | 'coded' | 'all',
    StatementSync
  >;

  constructor(db: DatabaseSync) {
    const columns = 'id, from_ts, to_ts, width_ms, buckets';
    this.#statements = {
      insert: db.prepare(
        'INSERT INTO rollup (series, from_ts, to_ts, width_ms, buckets, coded) VALUES (?, ?, ?, ?, ?, ?)',
      ),
      deleteOverlapping: db.prepare('DELETE FROM rollup WHERE series = ? AND to_ts > ? AND from_ts <= ?'),
      deleteAll: db.prepare('DELETE FROM rollup WHERE series = ?'),
      range: db.prepare(
        `SELECT ${columns} FROM rollup WHERE series = ? AND from_ts >= ? AND to_ts <= ? ORDER BY to_ts`,
      ),
      last: db.prepare(`SELECT ${columns} FROM rollup WHERE series = ? ORDER BY to_ts DESC LIMIT 1`),
      all: db.prepare(`SELECT ${columns} FROM rollup ORDER BY id`),
      coded: db.prepare('SELECT coded FROM rollup WHERE id = ?'),
    };
  }

  /** The rollups of all series. Reads rows lazily. */
  *all(): Generator<Rollup> {
    for (const row of this.#statements.all.iterate()) yield rollupOf(row);
  }

  /** The rollups that are wholly in a range, by time. */
  within(series: number, fromMs: number, toMs: number): Rollup[] {
    return this.#statements.range.all(series, fromMs, toMs).map(rollupOf);
  }

  last(series: number): Rollup | undefined {
    const row = this.#statements.last.get(series);
    return row === undefined ? undefined : rollupOf(row);
  }

  /** Undefined where the rollup is damaged: chunks have the samples. */
  load({ id, buckets }: Rollup): RollupBuckets | undefined {
    const coded = this.#statements.coded.get(id)?.['coded'];
    if (!(coded instanceof Uint8Array)) return undefined;
    try {
      return decodeRollup(coded, buckets);
    } catch {
      return undefined;
    }
  }

  insert(
    series: number,
    { fromTs, toTs, widthMs }: Omit<Rollup, 'id' | 'buckets'>,
    buckets: RollupBuckets,
  ): void {
    const { length } = buckets.starts;
    this.#statements.insert.run(series, fromTs, toTs, widthMs, length, encodeRollup(buckets));
  }

  /** Deletes the rollups of a time in which chunks change. */
  invalidate(series: number, firstTs: number, lastTs: number): void {
    this.#statements.deleteOverlapping.run(series, firstTs, lastTs);
  }

  deleteSeries(series: number): void {
    this.#statements.deleteAll.run(series);
  }
}
