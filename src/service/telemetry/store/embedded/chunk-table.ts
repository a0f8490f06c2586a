import type {
  DatabaseSync,
  SQLOutputValue,
  StatementSync,
} from '../../../platform/storage/dialects/sqlite.ts';
import { DamagedData, isDamage } from '../../../platform/storage/damaged-file.ts';
import { decodeChunk, encodeChunk } from './chunk-coding.ts';
import { statisticsOf, type ChunkStatistics } from './chunk-statistics.ts';
import type { RollupTable } from './rollup-table.ts';
import type { Cell } from '../sample-columns.ts';
import { countBefore, sliceSamples, type Samples } from './samples.ts';

/** The `data` of a chunk that is one number: its row has the time and the value. */
export const NO_DATA = 0;
/** Decoded samples kept for further reads. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;
const BYTES_PER_NUMBER = 16;
/** The memory of a text besides its characters. */
const BYTES_PER_TEXT = 32;

const bytesOf = ({ ts, cells }: Samples): number =>
  cells instanceof Float64Array
    ? ts.length * BYTES_PER_NUMBER
    : cells.reduce((sum, text) => sum + BYTES_PER_TEXT + 2 * text.length, 0);

export type Chunk = ChunkStatistics & {
  readonly series: number;
  readonly firstTs: number;
  readonly lastTs: number;
  readonly data: number;
};

/** SQLite keeps a NaN as NULL. */
const numberOf = (value: SQLOutputValue | undefined): number =>
  typeof value === 'number' ? value : Number.NaN;

const chunkOf = (row: Record<string, SQLOutputValue>): Chunk => ({
  series: Number(row['series']),
  firstTs: Number(row['first_ts']),
  lastTs: Number(row['last_ts']),
  count: Number(row['samples']),
  sum: numberOf(row['sum']),
  min: numberOf(row['min']),
  max: numberOf(row['max']),
  first: numberOf(row['first']),
  last: numberOf(row['last']),
  data: Number(row['data']),
});

/** The chunks of all series. Chunks of a series do not overlap in time. */
export class ChunkTable {
  readonly #statements: Record<
    | 'insert'
    | 'insertData'
    | 'delete'
    | 'deleteData'
    | 'data'
    | 'at'
    | 'after'
    | 'last'
    | 'first'
    | 'from'
    | 'all',
    StatementSync
  >;
  readonly #cache = new Map<number, { readonly samples: Samples; readonly bytes: number }>();
  #cachedBytes = 0;
  /** The errors of damaged chunks that were read, by their data. */
  readonly #damage = new Map<number, DamagedData>();
  readonly #rollups: RollupTable;
  /** Samples that a chunk holds at most. */
  readonly maxSamples: number;
  #nextData: number;

  constructor(db: DatabaseSync, rollups: RollupTable, maxSamples: number) {
    this.#rollups = rollups;
    this.maxSamples = maxSamples;
    const ofSeries = 'SELECT * FROM chunk WHERE series = ?';
    this.#statements = {
      insert: db.prepare('INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
      insertData: db.prepare('INSERT INTO chunk_data VALUES (?, ?)'),
      delete: db.prepare('DELETE FROM chunk WHERE series = ? AND first_ts = ?'),
      deleteData: db.prepare('DELETE FROM chunk_data WHERE id = ?'),
      data: db.prepare('SELECT coded FROM chunk_data WHERE id = ?'),
      at: db.prepare(`${ofSeries} AND first_ts <= ? ORDER BY first_ts DESC LIMIT 1`),
      after: db.prepare(`${ofSeries} AND first_ts > ? ORDER BY first_ts LIMIT 1`),
      last: db.prepare(`${ofSeries} ORDER BY first_ts DESC LIMIT 1`),
      first: db.prepare(`${ofSeries} ORDER BY first_ts LIMIT 1`),
      // SQLite would prepare the statement again for each `LIMIT ?`.
      from: db.prepare(
        `${ofSeries} AND first_ts >= ? AND first_ts < ? AND last_ts >= ? ORDER BY first_ts LIMIT ? + 0`,
      ),
      all: db.prepare('SELECT * FROM chunk ORDER BY series, first_ts'),
    };
    const newest = db.prepare('SELECT max(id) AS id FROM chunk_data').get();
    this.#nextData = Number(newest?.['id'] ?? 0) + 1;
  }

  /** The chunks of all series, by series and time. Reads rows lazily. */
  *all(): Generator<Chunk> {
    for (const row of this.#statements.all.iterate()) yield chunkOf(row);
  }

  /** The chunk that begins last at `ts` or before; its samples may end before `ts`. */
  at(series: number, ts: number): Chunk | undefined {
    const row = this.#statements.at.get(series, ts);
    return row === undefined ? undefined : chunkOf(row);
  }

  /** The first chunk that begins after `ts`. */
  after(series: number, ts: number): Chunk | undefined {
    const row = this.#statements.after.get(series, ts);
    return row === undefined ? undefined : chunkOf(row);
  }

  first(series: number): Chunk | undefined {
    const row = this.#statements.first.get(series);
    return row === undefined ? undefined : chunkOf(row);
  }

  last(series: number): Chunk | undefined {
    const row = this.#statements.last.get(series);
    return row === undefined ? undefined : chunkOf(row);
  }

  /** The first chunks that may hold samples with `fromMs` ≤ ts < `toMs`, by time; all without a limit. Reads rows lazily. */
  *range(series: number, fromMs: number, toMs: number, limit = -1): Generator<Chunk> {
    const before = fromMs === -Infinity ? undefined : this.at(series, fromMs);
    const firstTs = before?.firstTs ?? fromMs;
    for (const row of this.#statements.from.iterate(series, firstTs, toMs, fromMs, limit)) yield chunkOf(row);
  }

  /** The value of a sample; undefined where there is none. */
  find(series: number, ts: number, isText: boolean): Cell | undefined {
    const chunk = this.at(series, ts);
    if (chunk === undefined || chunk.lastTs < ts) return undefined;
    const { ts: times, cells } = this.load(chunk, isText);
    const position = countBefore(times, ts);
    return times[position] === ts ? cells[position] : undefined;
  }

  /** Number of damaged chunks that were read. */
  get damagedChunks(): number {
    return this.#damage.size;
  }

  /** The error of `find` if its chunk is known as damaged. */
  findDamage(series: number, ts: number): DamagedData | undefined {
    const chunk = this.at(series, ts);
    return chunk === undefined || chunk.lastTs < ts ? undefined : this.#damage.get(chunk.data);
  }

  /** The samples of a chunk; not to be changed. @throws Error where they are damaged */
  load(chunk: Chunk, isText: boolean): Samples {
    if (chunk.data === NO_DATA) return this.decode(chunk, isText);
    const cached = this.#cache.get(chunk.data);
    if (cached !== undefined) {
      // The most recently used is last.
      this.#cache.delete(chunk.data);
      this.#cache.set(chunk.data, cached);
      return cached.samples;
    }
    const samples = this.decode(chunk, isText);
    const bytes = bytesOf(samples);
    this.#cache.set(chunk.data, { samples, bytes });
    this.#cachedBytes += bytes;
    for (const id of this.#cache.keys()) {
      if (this.#cachedBytes <= MAX_CACHED_BYTES) break;
      this.#evict(id);
    }
    return samples;
  }

  /** Inserts samples that overlap no chunk, in as few chunks of even size as hold them. */
  insert(series: number, samples: Samples): void {
    const { length } = samples.ts;
    if (length > 0) this.#rollups.invalidate(series, samples.ts[0]!, samples.ts[length - 1]!);
    const pieces = Math.ceil(length / this.maxSamples);
    for (let piece = 0; piece < pieces; piece += 1) {
      const start = Math.floor((length * piece) / pieces);
      const end = Math.floor((length * (piece + 1)) / pieces);
      const part = sliceSamples(samples, start, end);
      const { count, sum, min, max, first, last } = statisticsOf(part.cells);
      const [firstTs, lastTs] = [samples.ts[start]!, samples.ts[end - 1]!];
      const isOneNumber = count === 1 && part.cells instanceof Float64Array;
      const data = isOneNumber ? NO_DATA : this.#insertData(part);
      this.#statements.insert.run(series, firstTs, lastTs, count, sum, min, max, first, last, data);
    }
  }

  delete({ series, firstTs, lastTs, data }: Chunk): void {
    this.#rollups.invalidate(series, firstTs, lastTs);
    this.#statements.delete.run(series, firstTs);
    if (data === NO_DATA) return;
    this.#statements.deleteData.run(data);
    this.#damage.delete(data);
    this.#evict(data);
  }

  /** As `load`, for samples that are read once. */
  decode(chunk: Chunk, isText: boolean): Samples {
    if (chunk.data === NO_DATA)
      return { ts: Float64Array.of(chunk.firstTs), cells: Float64Array.of(chunk.first) };
    const coded = this.#readData(chunk);
    try {
      if (coded === undefined) throw new Error('The chunk has no data.');
      return decodeChunk(coded, chunk.count, isText);
    } catch (error) {
      throw this.#recordDamage(chunk, error);
    }
  }

  /** The bytes of a chunk. Other errors than damage may be gone at the next read. */
  #readData(chunk: Chunk): Uint8Array | undefined {
    try {
      const coded = this.#statements.data.get(chunk.data)?.['coded'];
      return coded instanceof Uint8Array ? coded : undefined;
    } catch (error) {
      throw isDamage(error) ? this.#recordDamage(chunk, error) : error;
    }
  }

  #recordDamage({ series, firstTs, data }: Chunk, cause: unknown): DamagedData {
    const damage = new DamagedData(`The telemetry chunk of series ${series} at ${firstTs} is malformed.`, {
      cause,
    });
    this.#damage.set(data, damage);
    return damage;
  }

  #insertData(samples: Samples): number {
    const data = this.#nextData;
    // Never used twice in one process, even after a rollback, because it is the key of the cache.
    this.#nextData += 1;
    this.#statements.insertData.run(data, encodeChunk(samples));
    return data;
  }

  /** As `decode`; undefined where the chunk is damaged. */
  decodeUndamaged(chunk: Chunk, isText: boolean): Samples | undefined {
    try {
      return this.decode(chunk, isText);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return undefined;
    }
  }

  #evict(data: number): void {
    this.#cachedBytes -= this.#cache.get(data)?.bytes ?? 0;
    this.#cache.delete(data);
  }
}
