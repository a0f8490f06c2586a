import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isDiskFull } from '#service/platform/storage/disk-full.ts';
import { inTransaction, migrateSqlite, openSqlite } from '#service/platform/storage/dialects/sqlite.ts';
import { packBatch } from '#service/telemetry/store/pack-batch.ts';
import { SampleStore } from '#service/telemetry/store/embedded/sample-store.ts';
import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import { telemetryMigrations } from '#service/telemetry/store/embedded/telemetry-schema.ts';
import { OUTCOME, type ScanResult } from '#service/telemetry/store/telemetry-store.ts';
import { StoreBusy } from '#service/platform/storage/store-errors.ts';
import { batchOf } from './batch-of.ts';
import { describeTelemetryStore } from './telemetry-store-cases.ts';
import { ALL, plain } from './tested-store.ts';

const createDirectory = () => mkdtempSync(join(tmpdir(), 'penstock-telemetry-'));
const removeDirectory = (path: string) => rmSync(path, { recursive: true, force: true });

describeTelemetryStore('telemetry.db', async () => {
  const path = createDirectory();
  return {
    open: (options) => openSqliteTelemetryStore(path, options),
    remove: async () => removeDirectory(path),
  };
});

let dataDir: string;
beforeEach(() => {
  dataDir = createDirectory();
});
afterEach(() => removeDirectory(dataDir));

it('rejects a write while a million samples wait to be written', { timeout: 60_000 }, async () => {
  const { index, ts, cells, ...rest } = batchOf([{ ts: 1, value: 1 }]);
  const length = 400_000;
  const large = {
    ...rest,
    index: new Uint32Array(length).fill(index[0]!),
    ts: Float64Array.from({ length }, (_, i) => i + ts[0]!),
    cells: new Float64Array(length).fill(cells[0]!),
  };
  const store = await openSqliteTelemetryStore(dataDir);
  const waiting = [1, 2, 3].map(() => store.write(large));
  await expect(store.write(large)).rejects.toThrow(StoreBusy);
  await Promise.all(waiting);
  const { outcome } = await store.write(batchOf([{ ts: 0, value: 1 }]));
  expect(Array.from(outcome)).toEqual([OUTCOME.accepted]);
  await store.close();
});

describe('a removal', () => {
  it('of very many samples goes in steps, so that others are served between', () => {
    const db = openSqlite(join(dataDir, 'steps.db'));
    migrateSqlite(db, telemetryMigrations);
    const samples = new SampleStore(db, { limit: { samples: 1, series: 1, rows: 1, bytes: 1 } });
    const length = 1_000_000;
    const many = batchOf(Array.from({ length }, (_, i) => ({ ts: i, value: i % 100 })));
    samples.write([packBatch(many)]);
    while (samples.compact(1_000));
    const steps = samples.remove({ ...ALL, fromMs: 10, toMs: length - 5 });
    const left: number[] = [];
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) left.push(samples.samples);
    expect(left.length).toBeGreaterThan(2);
    expect(left).toEqual(left.toSorted((a, b) => b - a));
    expect([step.value, samples.samples]).toEqual([length - 15, 15]);
    db.close();
  });
});

describe('the store', () => {
  it('reports that its thread ended before it was closed, and only then', async () => {
    const onThreadEnd = vi.fn<(error: Error) => void>();
    const threads: Worker[] = [];
    const addThread = (thread: Worker) => void threads.push(thread);
    process.on('worker', addThread);
    onTestFinished(() => void process.off('worker', addThread));
    const closed = await openSqliteTelemetryStore(dataDir, { onThreadEnd });
    await closed.close();
    const ended = await openSqliteTelemetryStore(dataDir, { onThreadEnd });
    expect(onThreadEnd).not.toHaveBeenCalled();
    await threads.at(-1)?.terminate();
    await expect
      .poll(() => onThreadEnd.mock.calls)
      .toMatchObject([[{ message: 'The telemetry thread has ended.' }]]);
    await expect(ended.stats()).rejects.toThrow('The telemetry thread has ended.');
    await ended.close();
  });

  it('deletes and scans more series than it holds in memory at a time', async () => {
    const store = await openSqliteTelemetryStore(dataDir);
    const given = Array.from({ length: 1_203 }, (_, n) => ({
      device: `dev_${n % 3}`,
      metric: `m${n}`,
      ts: n,
      value: n,
    }));
    await store.write(batchOf(given));
    const selection = { ...ALL, devices: ['dev_2', 'dev_0', 'dev_1'] };
    const names = given.map(({ device, metric }) => `${device} ${metric}`).toSorted();
    const namesIn = ({ series }: ScanResult) => series.map(({ device, metric }) => `${device} ${metric}`);
    const first = await store.scan(selection, 700);
    const rest = await store.scan(selection, 700, first.next!);
    expect([...namesIn(first), ...namesIn(rest)]).toEqual(names);
    expect(await store.remove(selection)).toBe(1_203);
    expect(await store.countSeries(selection.devices)).toBe(0);
    await store.close();
  });

  it('does not open a file that is no database, and says so', async () => {
    const other = mkdtempSync(join(dataDir, 'other-'));
    writeFileSync(
      join(other, 'telemetry.db'),
      'not a database, but a text that is long enough to be looked at',
    );
    await expect(openSqliteTelemetryStore(other)).rejects.toThrow(/not a database/);
  });

  it('does not open a file of a newer version', async () => {
    const other = mkdtempSync(join(dataDir, 'other-'));
    const db = new DatabaseSync(join(other, 'telemetry.db'));
    db.exec('PRAGMA user_version = 99');
    db.close();
    await expect(openSqliteTelemetryStore(other)).rejects.toThrow(/newer version/);
  });

  it('reports its size on disk', async () => {
    const store = await openSqliteTelemetryStore(dataDir);
    await store.write(batchOf([{ ts: 1, value: 1 }]));
    const { samples, bytes } = await store.stats();
    expect(samples).toBe(1);
    expect(bytes).toBeGreaterThan(4_096);
    await store.close();
  });
});

describe('a migration', () => {
  it('changes all or nothing', () => {
    const db = openSqlite(join(dataDir, 'steps.db'));
    expect(() => migrateSqlite(db, ['CREATE TABLE a (x)', 'CREATE TABLE b (x); CREATE TABLE a (x)'])).toThrow(
      'already exists',
    );
    expect(db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()).toEqual({ n: 0 });
    migrateSqlite(db, ['CREATE TABLE a (x)', 'CREATE TABLE b (x)']);
    expect(db.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 2 });
    db.close();
  });
});

describe('a full disk', () => {
  it('rejects a whole write, continues to read, and recovers once there is room', () => {
    const db = openSqlite(join(dataDir, 'small.db'));
    migrateSqlite(db, telemetryMigrations);
    const samples = new SampleStore(db);
    const kept = packBatch(batchOf([{ ts: 1, value: 1 }]));
    samples.write([kept]);
    db.exec('PRAGMA max_page_count = 20');
    const many = batchOf(
      Array.from({ length: 5_000 }, (_, i) => ({ metric: `m${i % 9}`, ts: i, value: 'x'.repeat(100) })),
    );
    let failure: unknown;
    try {
      samples.write([packBatch(many)]);
    } catch (error) {
      failure = error;
    }
    expect(isDiskFull(failure)).toBe(true);
    expect(samples.reader.read(ALL, { points: 9 }, []).series.map(plain)).toEqual([
      { metric: 'temp', kind: 'number', ts: [1], value: [1] },
    ]);
    db.exec('PRAGMA max_page_count = 100000');
    const [result] = samples.write([packBatch(batchOf([{ metric: 'm7', ts: 1, value: 'again' }]))]);
    expect(result).toMatchObject({ outcome: Uint8Array.of(OUTCOME.accepted) });
    expect(samples.reader.read({ ...ALL, metrics: ['m7'] }, { points: 9 }, []).series.map(plain)).toEqual([
      { metric: 'm7', kind: 'string', ts: [1], value: ['again'] },
    ]);
    db.close();
  });
});

it('rolls a transaction back whole', () => {
  const db = openSqlite(':memory:');
  db.exec('CREATE TABLE a (x)');
  const failing = () =>
    inTransaction(db, () => {
      db.exec('INSERT INTO a VALUES (1)');
      throw new Error('no');
    });
  expect(failing).toThrow('no');
  expect(db.prepare('SELECT count(*) AS n FROM a').get()).toEqual({ n: 0 });
  db.close();
});
