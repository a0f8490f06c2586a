import type { Value } from '#contract/telemetry.ts';
import {
  inPostgresTransaction,
  type PostgresClient,
  type PostgresPool,
} from '../../../platform/storage/dialects/postgres-pool.ts';
import { KIND, KINDS, valueOfCell, type Cell } from '../sample-columns.ts';
import { MAX_REPLACED, OUTCOME, type WriteBatch, type WriteResult } from '../telemetry-store.ts';
import { kindsOf } from '../wanted-series.ts';
import { numberArray } from './column-bytes.ts';
import { BY_INDEX } from './planner-settings.ts';
import { PartitionCounts, type SamplePartitions } from './sample-partitions.ts';
import type { KnownSeries, SeriesCache } from './series-cache.ts';
import { SHARE_WRITES } from './write-locks.ts';

/** Samples, and characters of text, in a statement: a few milliseconds of work for this thread. */
const MAX_ROWS = 10_000;
const MAX_TEXT = 1_048_576;

const MAX_ATTEMPTS = 5;
/** Another process wrote the same samples in another order, or dropped the partition. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40P01', '23514']);

const isConflict = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && CONFLICTS.has(error.code);

type Position = { readonly batch: number; readonly sample: number };
/** A series and time of the batches. `first` is the first sample there, `cell` the last. */
type Row = { readonly series: number; readonly ts: number; readonly first: Position; cell: Cell };
type StoredRow = { series: number; ts: number; value: Cell };

const cellAt = ({ series, index, cells, texts }: WriteBatch, i: number): Cell =>
  series.kind[index[i]!] === KIND.string ? texts[cells[i]!]! : cells[i]!;

/** Batches of one transaction, as rows of different series and times. */
class Rows {
  readonly numbers: Row[] = [];
  readonly texts: Row[] = [];
  readonly #bySeries = new Map<number, Map<number, Row>>();

  /** Returns the value that an earlier sample of the batches has at this time; undefined if this is the first. */
  put(series: number, ts: number, cell: Cell, first: Position): Cell | undefined {
    const ofSeries = this.#bySeries.get(series) ?? new Map<number, Row>();
    this.#bySeries.set(series, ofSeries);
    const row = ofSeries.get(ts);
    if (row === undefined) {
      const added = { series, ts, first, cell };
      ofSeries.set(ts, added);
      (typeof cell === 'string' ? this.texts : this.numbers).push(added);
      return undefined;
    }
    const before = row.cell;
    row.cell = cell;
    return before;
  }

  get(series: number, ts: number): Row | undefined {
    return this.#bySeries.get(series)?.get(ts);
  }
}

/** Consecutive rows, as many as one statement takes. */
function* slicesOf(rows: readonly Row[]): Generator<readonly Row[], void> {
  let [from, length] = [0, 0];
  for (const [i, { cell }] of rows.entries()) {
    length += typeof cell === 'string' ? cell.length : 0;
    if (i + 1 - from < MAX_ROWS && length < MAX_TEXT) continue;
    yield rows.slice(from, i + 1);
    [from, length] = [i + 1, 0];
  }
  if (from < rows.length) yield rows.slice(from);
}

/**
 * Inserts rows, and returns the rows that existed before. Waits for other processes that write the same rows, so that
 * only one of them counts a row as new.
 */
const insert = (column: 'value' | 'text'): string => `
  with given as materialized (
    select * from unnest($1::int[], $2::bigint[], $3::${column === 'value' ? 'float8' : 'text'}[]) as given (series, ts, ${column})
  ), inserted as (
    insert into telemetry_sample as sample (series, ts, ${column})
    select series, ts, ${column} from given order by series, ts
    on conflict (series, ts) do nothing
    returning series, ts
  )
  select series, ts from given except select series, ts from inserted`;

/**
 * Overwrites rows, and returns the values that they had before. The statement reads the table as it was at its begin.
 */
const overwrite = (column: 'value' | 'text'): string => {
  const type = column === 'value' ? 'float8' : 'text';
  return `
    with given as materialized (
      select * from unnest($1::int[], $2::bigint[], $3::${type}[]) as given (series, ts, ${column})
    ), stored as materialized (
      select series, ts, sample.${column} as value
      from given join telemetry_sample sample using (series, ts)
      where sample.ts between $4 and $5
    ), written as (
      insert into telemetry_sample as sample (series, ts, ${column})
      select series, ts, ${column} from given order by series, ts
      on conflict (series, ts) do update set ${column} = excluded.${column}
      where sample.${column} is distinct from excluded.${column}
    )
    select series, ts, value from stored`;
};

const columnsOf = (rows: readonly Row[]): unknown[] => [
  numberArray(rows.map(({ series }) => series)),
  numberArray(rows.map(({ ts }) => ts)),
  typeof rows[0]!.cell === 'string'
    ? rows.map(({ cell }) => JSON.stringify(cell))
    : numberArray(rows.map(({ cell }) => Number(cell))),
];

/** Inserts rows, and overwrites existing ones. Returns the existing rows with their previous values. */
const writeSlice = async (
  client: PostgresClient,
  slice: readonly Row[],
  find: (series: number, ts: number) => Row,
): Promise<StoredRow[]> => {
  const isText = typeof slice[0]!.cell === 'string';
  const column = isText ? 'text' : 'value';
  const present = await client.query<{ series: number; ts: number }>(insert(column), columnsOf(slice));
  if (present.rows.length === 0) return [];
  const rows = present.rows.map(({ series, ts }) => find(series, ts));
  const times = rows.map(({ ts }) => ts);
  const { rows: stored } = await client.query<StoredRow>(overwrite(column), [
    ...columnsOf(rows),
    times.reduce((least, ts) => Math.min(least, ts)),
    times.reduce((greatest, ts) => Math.max(greatest, ts)),
  ]);
  return isText ? stored.map((row) => ({ ...row, value: String(JSON.parse(String(row.value))) })) : stored;
};

type Found = readonly (KnownSeries | null | undefined)[];

/** Writes batches in one transaction, and returns the outcome of each sample. */
export class PostgresSampleWriter {
  readonly #pool: PostgresPool;
  readonly #partitions: SamplePartitions;
  readonly #series: SeriesCache;

  constructor(pool: PostgresPool, partitions: SamplePartitions, series: SeriesCache) {
    this.#pool = pool;
    this.#partitions = partitions;
    this.#series = series;
  }

  /** If it throws, nothing of the batches is stored, unless the connection was lost during the commit. */
  async write(batches: readonly WriteBatch[]): Promise<WriteResult[]> {
    const times = new PartitionCounts();
    for (const { ts } of batches) for (const time of ts) times.add(time, 0);
    for (let attempt = 1; ; attempt += 1) {
      await this.#partitions.create(times.partitions());
      try {
        return await inPostgresTransaction(
          this.#pool,
          (client) => this.#writeIn(client, batches),
          `${BY_INDEX}; ${SHARE_WRITES}`,
        );
      } catch (error) {
        // Series that the transaction created are gone.
        this.#series.clear();
        if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error;
        this.#partitions.clear();
      }
    }
  }

  async #writeIn(client: PostgresClient, batches: readonly WriteBatch[]): Promise<WriteResult[]> {
    const found = await this.#series.resolve(client, batches);
    const outcomes = batches.map(({ index }) => new Uint8Array(index.length));
    const replaced = batches.map(() => new Map<number, Cell>());
    const rows = new Rows();
    for (const [batch, given] of batches.entries())
      for (let sample = 0; sample < given.index.length; sample += 1) {
        const series = found[batch]![given.index[sample]!];
        if (series == null) outcomes[batch]![sample] = OUTCOME.metricLimit;
        else if (series.kind !== given.series.kind[given.index[sample]!])
          outcomes[batch]![sample] = OUTCOME.kindMismatch;
        else {
          const cell = cellAt(given, sample);
          const before = rows.put(series.id, given.ts[sample]!, cell, { batch, sample });
          if (before !== undefined) record(outcomes[batch]!, replaced[batch]!, sample, before, cell);
        }
      }
    const find = (series: number, ts: number): Row => rows.get(series, ts)!;
    const counts = new PartitionCounts();
    for (const { ts } of [...rows.numbers, ...rows.texts]) counts.add(ts, 1);
    for (const slice of [...slicesOf(rows.numbers), ...slicesOf(rows.texts)])
      for (const { series, ts, value } of await writeSlice(client, slice, find)) {
        const { first } = find(series, ts);
        const cell = cellAt(batches[first.batch]!, first.sample);
        record(outcomes[first.batch]!, replaced[first.batch]!, first.sample, value, cell);
        counts.add(ts, -1);
      }
    await counts.save(client);
    return batches.map((batch, i) => resultOf(batch, found[i]!, outcomes[i]!, replaced[i]!));
  }
}

const record = (
  outcome: Uint8Array,
  replaced: Map<number, Cell>,
  sample: number,
  before: Cell,
  cell: Cell,
): void => {
  outcome[sample] = before === cell ? OUTCOME.duplicate : OUTCOME.overwritten;
  if (before !== cell) replaced.set(sample, before);
};

/** The latest overwrites of the last series. */
const latestReplaced = (
  { series, index }: WriteBatch,
  replaced: ReadonlyMap<number, Cell>,
): Map<number, Value> => {
  const positions = new Map<number, number>();
  for (const sample of [...replaced.keys()].toSorted((a, b) => a - b)) {
    positions.delete(index[sample]!);
    positions.set(index[sample]!, sample);
  }
  return new Map(
    [...positions]
      .slice(-MAX_REPLACED)
      .map(([s, sample]) => [sample, valueOfCell(replaced.get(sample)!, KINDS[series.kind[s]!]!)]),
  );
};

const resultOf = (
  batch: WriteBatch,
  found: Found,
  outcome: Uint8Array,
  replaced: ReadonlyMap<number, Cell>,
): WriteResult => ({
  outcome,
  kinds: kindsOf(batch.series, found),
  ...(replaced.size > 0 && { replaced: latestReplaced(batch, replaced) }),
});
