import { expect, it } from 'vitest';
import { migrateSqlite, openSqlite } from '#service/platform/storage/dialects/sqlite.ts';
import { packBatch } from '#service/telemetry/store/pack-batch.ts';
import { SampleStore } from '#service/telemetry/store/embedded/sample-store.ts';
import { STORE_SIZES } from '#service/telemetry/store/embedded/store-sizes.ts';
import { telemetryMigrations } from '#service/telemetry/store/embedded/telemetry-schema.ts';
import { batchOf } from './batch-of.ts';

const QUARTER_HOUR_MS = 900_000;
const HOUR_MS = 3_600_000;
const STEP_MS = 30_000;
const START = Date.UTC(2026, 0, 1);
/** A compaction begins as soon as there is anything to move. */
const EAGER = { samples: 1, series: 1, rows: 1, bytes: 1 };
const DEVICES = ['dev_a'];

const valueAt = (n: number): number => Math.round(Math.sin(n / 500) * 1_000) / 10;

const openStore = (sizes = STORE_SIZES) => {
  const db = openSqlite(':memory:');
  migrateSqlite(db, telemetryMigrations);
  const store = new SampleStore(db, { limit: EAGER, sizes });
  const write = (samples: readonly { ts: number; value: number }[]) => {
    store.write([packBatch(batchOf(samples))]);
    while (store.compact(1_000));
  };
  const rollups = () =>
    db
      .prepare('SELECT from_ts, to_ts, width_ms FROM rollup ORDER BY to_ts')
      .all()
      .map((row) => Object.values(row).map(Number));
  const read = (fromMs: number, toMs: number, bucketMs: number) => {
    const aggregates = ['count', 'sum', 'min', 'max', 'first', 'last'] as const;
    const [series] = store.reader.read({ devices: DEVICES, fromMs, toMs }, { bucketMs }, aggregates).series;
    return Array.from(series!.ts, (ts, i) => [ts, ...aggregates.map((name) => Number(series![name]![i]))]);
  };
  return { db, store, write, rollups, read };
};

type Store = ReturnType<typeof openStore>;

/** Enough samples for two rollups, and the chunks behind them that may still grow. */
const SAMPLES = 2_048 * (2 * 64 + 16);

const fill = ({ write }: Store): void => {
  for (let start = 0; start < SAMPLES; start += 8_192) {
    const length = Math.min(8_192, SAMPLES - start);
    write(
      Array.from({ length }, (_, i) => ({ ts: START + (start + i) * STEP_MS, value: valueAt(start + i) })),
    );
  }
};

/** The same buckets without rollups. */
const readWithout = ({ db, read }: Store, ...range: Parameters<Store['read']>) => {
  db.exec('CREATE TEMP TABLE kept AS SELECT * FROM rollup; DELETE FROM rollup');
  const buckets = read(...range);
  db.exec('INSERT INTO rollup SELECT * FROM kept; DROP TABLE kept');
  return buckets;
};

const expectSame = (found: number[][], expected: number[][]): void => {
  expect(found.map(([ts, count]) => [ts, count])).toEqual(expected.map(([ts, count]) => [ts, count]));
  for (const [i, [, , sum = 0, ...others]] of found.entries()) {
    expect(sum).toBeCloseTo(expected[i]![2]!, 6);
    expect(others).toEqual(expected[i]!.slice(3));
  }
};

it('builds rollups of chunks that no longer grow, and reads the same buckets from rollups as from samples', () => {
  const store = openStore();
  fill(store);
  const [first, second] = store.rollups();
  expect(store.rollups().length).toBeGreaterThanOrEqual(2);
  expect(first).toEqual([START, expect.any(Number), QUARTER_HOUR_MS]);
  expect(second![0]).toBe(first![1]);
  const ranges: [number, number, number][] = [
    [-Infinity, Infinity, HOUR_MS],
    [START + 12_345, second![1]! - 54_321, 5 * HOUR_MS],
    [START, second![1]!, QUARTER_HOUR_MS],
    [START, START + 24 * HOUR_MS, 7 * 60_000],
  ];
  for (const range of ranges) expectSame(store.read(...range), readWithout(store, ...range));
});

it.each([
  ['without a pause', (n: number) => n * STEP_MS],
  [
    'with a pause of 2 hours after 80 minutes each',
    (n: number) => n * STEP_MS + Math.floor(n / 160) * 2 * HOUR_MS,
  ],
  ['once a minute, not at its start', (n: number) => n * 60_000 + 17_000],
  ['every 26 hours', (n: number) => n * 26 * HOUR_MS],
])('rolls up all of a series that is written %s', (_, timeOf) => {
  const sizes = { ...STORE_SIZES, samplesPerChunk: 32, samplesPerBlock: 32, chunksPerRollup: 5 };
  const store = openStore(sizes);
  const total = 32 * 200;
  const at = (n: number) => ({ ts: START + timeOf(n), value: valueAt(n) });
  for (let start = 0; start < total; start += 64)
    store.write(Array.from({ length: 64 }, (_, n) => at(start + n)));
  const rollups = store.rollups();
  for (const [i, [from]] of rollups.slice(1).entries()) expect(from).toBe(rollups[i]![1]);
  expect(rollups.at(-1)![1]).toBeGreaterThan(at(total - 32 * 24).ts);
  expectSame(store.read(START, Infinity, HOUR_MS), readWithout(store, START, Infinity, HOUR_MS));
});

it('reads buckets from rollups, not from samples', () => {
  const store = openStore();
  fill(store);
  const [[from, to] = []] = store.rollups();
  const buckets = store.read(from!, to!, 10 * HOUR_MS);
  store.db.exec("UPDATE chunk_data SET coded = x'00'");
  expect(store.read(from!, to!, 10 * HOUR_MS)).toEqual(buckets);
});

it('reads samples where a rollup is damaged', () => {
  const store = openStore();
  fill(store);
  const expected = readWithout(store, START, Infinity, HOUR_MS);
  store.db.exec('UPDATE rollup SET coded = zeroblob(length(coded))');
  expectSame(store.read(START, Infinity, HOUR_MS), expected);
});

it('builds no rollup over a damaged chunk, and a compaction goes on', () => {
  const store = openStore();
  const write = (from: number, to: number) => {
    for (let start = from; start < to; start += 8_192)
      store.write(
        Array.from({ length: 8_192 }, (_, i) => ({
          ts: START + (start + i) * STEP_MS,
          value: valueAt(start + i),
        })),
      );
  };
  write(0, SAMPLES / 8);
  store.db.exec("UPDATE chunk_data SET coded = x'00' WHERE id = (SELECT min(id) FROM chunk_data)");
  write(SAMPLES / 8, SAMPLES);
  expect(store.rollups()).toEqual([]);
  const later = START + (SAMPLES / 2) * STEP_MS;
  expect(store.read(later, later + HOUR_MS, HOUR_MS).length).toBeGreaterThan(0);
});

it('drops a rollup with late samples in its time, and builds it again with a later one', () => {
  const store = openStore();
  fill(store);
  const before = store.rollups();
  const late = { ts: START + HOUR_MS + 1, value: 999 };
  store.write([late]);
  expect(store.rollups()).toEqual(before.slice(1));
  expect(store.read(START + HOUR_MS, START + 2 * HOUR_MS, HOUR_MS)[0]?.[4]).toBe(999);
  for (let n = SAMPLES; store.rollups().length < before.length + 1 && n < 2 * SAMPLES; n += 4_096)
    store.write(
      Array.from({ length: 4_096 }, (_, i) => ({ ts: START + (n + i) * STEP_MS, value: valueAt(n + i) })),
    );
  const rollups = store.rollups();
  expect(rollups[0]).toEqual(before[0]);
  for (const [i, [from]] of rollups.slice(1).entries()) expect(from).toBe(rollups[i]![1]);
  expectSame(store.read(START, Infinity, HOUR_MS), readWithout(store, START, Infinity, HOUR_MS));
});

it('deletes rollups with the samples they cover, and with their series', () => {
  const store = openStore();
  fill(store);
  const { length } = store.rollups();
  for (const _ of store.store.remove({ devices: DEVICES, fromMs: -Infinity, toMs: START + HOUR_MS }))
    continue;
  expect(store.rollups()).toHaveLength(length - 1);
  expect(store.read(-Infinity, START + 3 * HOUR_MS, HOUR_MS)[0]?.[0]).toBe(START + HOUR_MS);
  for (const _ of store.store.remove({ devices: DEVICES, fromMs: -Infinity, toMs: Infinity })) continue;
  expect(store.rollups()).toEqual([]);
});

it('gives sparse series wider buckets', () => {
  const store = openStore();
  for (let start = 0; start < 80 * 2_048; start += 8_192)
    store.write(
      Array.from({ length: 8_192 }, (_, i) => ({ ts: START + (start + i) * 600_000, value: valueAt(i) })),
    );
  expect(store.rollups()[0]?.[2]).toBe(24 * HOUR_MS);
});

it('makes buckets whole quarter-hours, hours or days once they are ten times as wide', () => {
  const { store } = openStore();
  const widthOf = (rangeMs: number) =>
    store.reader.read({ devices: DEVICES, fromMs: 0, toMs: rangeMs }, { points: 100 }, []).bucketMs;
  store.write([packBatch(batchOf(Array.from({ length: 200 }, (_, n) => ({ ts: n, value: n }))))]);
  // From the epoch on, buckets of any width begin with the range.
  expect(widthOf(149 * 60_000 * 100 + 1)).toBe(149 * 60_000 + 1);
  expect(widthOf(150 * 60_000 * 100 + 1)).toBe(165 * 60_000);
  expect(widthOf(10 * HOUR_MS * 100 + 1)).toBe(11 * HOUR_MS);
  expect(widthOf(241 * HOUR_MS * 100)).toBe(264 * HOUR_MS);
});
