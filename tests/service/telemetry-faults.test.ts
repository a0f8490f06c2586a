import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { DamagedData, isDamage } from '#service/platform/storage/damaged-file.ts';
import { migrateSqlite, openSqlite, type DatabaseSync } from '#service/platform/storage/dialects/sqlite.ts';
import { commitsIn, cutWal } from '#tests/kill/parts/wal-cuts.ts';
import { batchOf } from './batch-of.ts';
import { packBatch } from '#service/telemetry/store/pack-batch.ts';
import { Journal } from '#service/telemetry/store/embedded/journal.ts';
import { SampleStore } from '#service/telemetry/store/embedded/sample-store.ts';
import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import { STORE_SIZES } from '#service/telemetry/store/embedded/store-sizes.ts';
import { createWorkerCompaction } from '#service/telemetry/store/embedded/worker-compaction.ts';
import { telemetryMigrations } from '#service/telemetry/store/embedded/telemetry-schema.ts';
import { OUTCOME } from '#service/telemetry/store/telemetry-store.ts';

/** A compaction begins as soon as there is anything to move. */
const EAGER = { samples: 1, series: 1, rows: 1, bytes: 1 };

let dataDir: string;
let db: DatabaseSync;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'penstock-faults-'));
  db = openSqlite(join(dataDir, 'telemetry.db'));
  migrateSqlite(db, telemetryMigrations);
});
afterEach(() => {
  if (db.isOpen) db.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const batch = (metric: string, from: number, count: number, value = (n: number) => n / 10) =>
  packBatch(batchOf(Array.from({ length: count }, (_, n) => ({ metric, ts: from + n, value: value(n) }))));
const read = (store: SampleStore, metric: string) =>
  Array.from(
    store.reader.scan({ devices: ['dev_a'], metrics: [metric], fromMs: -Infinity, toMs: Infinity }, 10_000)
      .series[0]?.ts ?? [],
  );
const compactAll = (store: SampleStore): void => {
  while (store.compact(1_000));
};
/** Overwrites the last byte before the checksum of every row. */
const damage = (table: 'journal' | 'chunk_data', where: string): void => {
  const key = table === 'journal' ? 'seq' : 'id';
  for (const row of db.prepare(`SELECT ${key} AS id, coded FROM ${table} WHERE ${where}`).all()) {
    const coded = Uint8Array.from(row['coded'] as Uint8Array);
    coded[coded.length - 5]! ^= 1;
    db.prepare(`UPDATE ${table} SET coded = ? WHERE ${key} = ?`).run(coded, row['id']!);
  }
};

it('serves and writes nothing once the journal cannot be read again after a failed write', () => {
  const store = new SampleStore(db);
  store.write([batch('a', 0, 5)]);
  store.write([batch('b', 0, 5)]);
  damage('journal', 'seq = 2');
  db.exec("CREATE TRIGGER fail BEFORE INSERT ON journal BEGIN SELECT raise(ABORT, 'planted'); END");
  expect(() => store.write([batch('a', 9, 1)])).toThrow('planted');
  db.exec('DROP TRIGGER fail');
  for (const ask of [
    () => store.write([batch('a', 9, 1)]),
    () => read(store, 'a'),
    () => store.compact(1_000),
    () => store.remove({ devices: ['dev_a'], fromMs: 0, toMs: 1 }).next(),
  ])
    expect(ask).toThrow('Row 2 of the telemetry journal is malformed.');
  expect(db.prepare('SELECT count(*) AS n FROM journal').get()).toEqual({ n: 2 });
  expect(() => new SampleStore(db)).toThrow('malformed');
});

it('serves the other chunks and series where a chunk is damaged, and adds later samples beside it', () => {
  const store = new SampleStore(db, { limit: EAGER });
  store.write([batch('a', 0, 10)]);
  compactAll(store);
  store.write([batch('b', 0, 10)]);
  compactAll(store);
  damage('chunk_data', 'id = 1');
  expect(() => read(store, 'a')).toThrow('malformed');
  expect(read(store, 'b')).toHaveLength(10);

  // The chunk is small: samples after it would join it.
  store.write([batch('a', 100, 20)]);
  compactAll(store);
  const later = { devices: ['dev_a'], metrics: ['a'], fromMs: 100, toMs: Infinity };
  expect(store.reader.scan(later, 1_000).series[0]?.ts).toHaveLength(20);
});

it('reads a chunk again after an error of the database that is no damage', () => {
  const store = new SampleStore(db, { limit: EAGER });
  store.write([batch('a', 0, 10)]);
  compactAll(store);
  db.exec('ALTER TABLE chunk_data RENAME TO away');
  expect(() => read(store, 'a')).toThrow('no such table');
  db.exec('ALTER TABLE away RENAME TO chunk_data');
  expect(store.write([batch('a', 5, 1)])[0]).toMatchObject({ outcome: Uint8Array.of(OUTCOME.overwritten) });
  expect(read(store, 'a')).toHaveLength(10);
});

it('rejects a batch with a late sample within a damaged chunk, and stores the others of its transaction', () => {
  const store = new SampleStore(db, { limit: EAGER });
  store.write([batch('a', 0, 10)]);
  compactAll(store);
  damage('chunk_data', 'id = 1');
  const journal = vi.spyOn(Journal.prototype, 'load');
  onTestFinished(() => journal.mockRestore());
  const write = (from: number) => store.write([batch('b', from, 10), batch('a', 5, 1), batch('c', from, 10)]);
  const [stored, rejected, alsoStored] = write(0);
  expect(rejected).toEqual(new DamagedData('The telemetry chunk of series 1 at 0 is malformed.'));
  for (const result of [stored, alsoStored])
    expect(result).toMatchObject({ outcome: new Uint8Array(10).fill(OUTCOME.accepted) });
  expect([read(store, 'b'), read(store, 'c')]).toMatchObject([{ length: 10 }, { length: 10 }]);

  // Once the chunk is known, the device that sends the sample again does not make the store read the journal.
  expect(journal).toHaveBeenCalledTimes(1);
  expect(write(10)[1]).toBeInstanceOf(DamagedData);
  expect(journal).toHaveBeenCalledTimes(1);
  expect(read(store, 'c')).toHaveLength(20);
  expect(store.samples).toBe(50);
  expect(new SampleStore(db).samples).toBe(50);

  for (const _ of store.remove({ devices: ['dev_a'], metrics: ['a'], fromMs: 0, toMs: 10 })) continue;
  expect(write(20)[1]).toMatchObject({ outcome: Uint8Array.of(OUTCOME.accepted) });
});

it('deletes all other samples of a series, and of other series, before it reports a damaged chunk', () => {
  const store = new SampleStore(db, { limit: EAGER, sizes: { ...STORE_SIZES, samplesPerChunk: 10 } });
  store.write([batch('a', 0, 30), batch('b', 0, 30)]);
  compactAll(store);
  const chunks = db.prepare('SELECT data, first_ts FROM chunk WHERE series = 1 ORDER BY first_ts').all();
  expect(chunks.length).toBeGreaterThan(2);
  const { data, first_ts } = chunks.at(-1)!;
  damage('chunk_data', `id = ${Number(data)}`);
  store.write([batch('a', 40, 3)]);
  const [from, to] = [Number(first_ts), 42];
  const removal = (toMs: number) => () => {
    for (const _ of store.remove({ devices: ['dev_a'], fromMs: -Infinity, toMs })) continue;
  };
  expect(removal(from + 1)).toThrow('malformed');
  expect(db.prepare('SELECT min(first_ts) AS ts FROM chunk WHERE series = 1').get()).toEqual({ ts: from });
  expect(read(store, 'b')[0]).toBe(from + 1);
  expect(removal(to)).not.toThrow();
  expect(read(store, 'a')).toEqual([42]);
});

it('answers the writes beside a late sample within a damaged chunk', async () => {
  new SampleStore(db, { limit: EAGER }).write([batch('a', 0, 10)]);
  compactAll(new SampleStore(db, { limit: EAGER }));
  damage('chunk_data', 'id = 1');
  db.close();
  const store = await openSqliteTelemetryStore(dataDir);
  onTestFinished(() => store.close());
  const given = [
    { metric: 'b', ts: 5, value: 1 },
    { metric: 'a', ts: 5, value: 1 },
    { metric: 'c', ts: 5, value: 1 },
  ];
  const outcomes = await Promise.allSettled(given.map((each) => store.write(batchOf([each]))));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(isDamage((outcomes[1] as PromiseRejectedResult).reason)).toBe(true);
  expect((await store.stats()).samples).toBe(12);
});

it('keeps samples in the journal that belong within a damaged chunk', () => {
  const store = new SampleStore(db, { limit: EAGER });
  store.write([batch('a', 0, 10)]);
  compactAll(store);
  damage('chunk_data', 'id = 1');
  // Outside of the time of the chunk, so that the write need not read it.
  store.write([batch('a', -5, 1)]);
  db.prepare('UPDATE chunk SET first_ts = -9').run();
  expect(() => compactAll(store)).toThrow('malformed');
  expect(db.prepare('SELECT count(*) AS n FROM journal').get()).toEqual({ n: 1 });
  store.write([batch('b', 0, 3)]);
  expect(read(store, 'b')).toEqual([0, 1, 2]);
});

it('keeps samples deleted that a compaction had moved before a restart, while it had not moved the rest', () => {
  let now = 0;
  const sizes = { ...STORE_SIZES, samplesPerBlock: 4, samplesPerStep: 4 };
  const open = () => new SampleStore(db, { limit: EAGER, sizes, nowMs: () => (now += 1) });
  const store = open();
  store.write([batch('a', 0, 20)]);
  store.compact(2);
  expect(db.prepare('SELECT last_ts FROM chunk').get()).toEqual({ last_ts: 7 });
  expect([...store.remove({ devices: ['dev_a'], fromMs: 0, toMs: 5 })]).not.toEqual([]);
  const restarted = open();
  expect(read(restarted, 'a')).toEqual(Array.from({ length: 15 }, (_, n) => n + 5));
  expect(restarted.samples).toBe(15);
});

it('does not open a store whose journal is damaged', async () => {
  new SampleStore(db).write([batch('a', 0, 5)]);
  damage('journal', 'true');
  db.close();
  await expect(openSqliteTelemetryStore(dataDir)).rejects.toThrow('malformed');
});

it('rejects a call whose input cannot reach its thread, and answers later ones', async () => {
  const store = await openSqliteTelemetryStore(dataDir);
  onTestFinished(() => store.close());
  const notText = Object.prototype.toString as unknown as string;
  const written = store.write({ ...batchOf([{ ts: 1, value: 1 }]), units: [notText] });
  await expect(written).rejects.toThrow('could not be cloned');
  await store.write(batchOf([{ ts: 2, value: 2 }]));
  expect((await store.stats()).samples).toBe(1);
});

it('holds the samples of all writes before a cut of the log, wherever their compaction was', () => {
  const [log, image] = [join(dataDir, 'telemetry.db-wal'), join(dataDir, 'image.db')];
  const store = new SampleStore(db, { limit: EAGER });
  const writtenUntil: number[] = [];
  for (let n = 0; n < 8; n += 1) {
    store.write([batch('a', n * 10, 10)]);
    writtenUntil.push(statSync(log).size);
    if (n % 3 === 2) compactAll(store);
  }
  const cuts = commitsIn(readFileSync(log)).filter((end) => end >= writtenUntil[0]!);
  expect(cuts.length).toBeGreaterThan(writtenUntil.length);
  for (const cut of cuts) {
    copyFileSync(join(dataDir, 'telemetry.db'), image);
    copyFileSync(log, `${image}-wal`);
    cutWal(`${image}-wal`, cut, 0);
    const kept = openSqlite(image);
    const written = writtenUntil.filter((end) => end <= cut).length;
    expect(read(new SampleStore(kept), 'a'), `cut at ${cut}`).toHaveLength(written * 10);
    kept.close();
  }
});

it('begins a compaction by series, by rows and by bytes', () => {
  const huge = { samples: 1e9, series: 1e9, rows: 1e9, bytes: 1e9 };
  for (const limit of [
    { ...huge, series: 3 },
    { ...huge, rows: 3 },
    { ...huge, bytes: 70 },
  ]) {
    const store = new SampleStore(db, { limit });
    store.write([batch('a', 0, 1)]);
    store.write([batch('b', 0, 1)]);
    expect(store.compact(0)).toBe(false);
    store.write([batch('c', 0, 1)]);
    expect(store.compact(0)).toBe(true);
    compactAll(store);
    for (const _ of store.remove({ devices: ['dev_a'], fromMs: -Infinity, toMs: Infinity })) continue;
    db.exec('DELETE FROM journal');
  }
});

it('adds up whole chunks and the samples beside them in a bucket', () => {
  const store = new SampleStore(db, { limit: EAGER });
  store.write([batch('a', 0, 100, (n) => n)]);
  compactAll(store);
  store.write([batch('a', 100, 100, (n) => 100 + n)]);
  const [series] = store.reader.read({ devices: ['dev_a'], fromMs: 0, toMs: 1_000 }, { bucketMs: 1_000 }, [
    'sum',
    'avg',
    'count',
  ]).series;
  expect([series?.sum?.[0], series?.avg?.[0], series?.count?.[0]]).toEqual([19_900, 99.5, 200]);
});

it('puts samples of a range without ends into as many buckets as requested points', () => {
  const store = new SampleStore(db);
  store.write([batch('a', 1_000, 500)]);
  const all = { devices: ['dev_a'], fromMs: -Infinity, toMs: Infinity };
  const { bucketMs, series } = store.reader.read(all, { points: 10 }, ['count']);
  expect(bucketMs).toBe(50);
  expect(Array.from(series[0]?.count ?? [])).toEqual(Array(10).fill(50));
});

it('retries a failed compaction after 1 s, then 2 s, and rejects writes beyond twice the limit of the journal', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const nowMs = () => 0;
  const store = new SampleStore(db, { limit: { samples: 5, series: 9, rows: 9, bytes: 1e9 }, nowMs });
  const onFailure = vi.fn<(error: unknown) => void>();
  const compaction = createWorkerCompaction(store, onFailure);
  db.exec("CREATE TRIGGER fail BEFORE INSERT ON chunk BEGIN SELECT raise(ABORT, 'planted'); END");
  store.write([batch('a', 0, 5)]);
  const failuresAfter = (ms: number) => {
    vi.advanceTimersByTime(ms);
    compaction.advance();
    return onFailure.mock.calls.length;
  };
  expect([0, 999, 1, 1_999, 1].map(failuresAfter)).toEqual([1, 1, 2, 2, 3]);
  expect(compaction.mustFinishFirst()).toBe(false);

  compaction.requireShortJournal();
  store.write([batch('a', 10, 20)]);
  expect(() => compaction.requireShortJournal()).toThrow('planted');
  db.exec('DROP TRIGGER fail');
  failuresAfter(4_000);
  compaction.requireShortJournal();
  while (compaction.isRunning) compaction.advance();
  expect([onFailure.mock.calls.length, read(store, 'a').length]).toEqual([3, 25]);
});
