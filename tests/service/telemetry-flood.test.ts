import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrateSqlite, openSqlite } from '#service/platform/storage/dialects/sqlite.ts';
import { SampleStore } from '#service/telemetry/store/embedded/sample-store.ts';
import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import { telemetryMigrations } from '#service/telemetry/store/embedded/telemetry-schema.ts';
import { batchOf } from './batch-of.ts';

/** The series that the journal holds before a compaction begins. */
const SERIES_LIMIT = 25_000;
const SERIES_PER_WRITE = 5_000;

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'penstock-flood-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const newSeries = (from: number, count: number) =>
  batchOf(Array.from({ length: count }, (_, n) => ({ metric: `m${from + n}`, ts: 1, value: 1 })));

it('a flood of new series waits for compactions, so that the journal stays short, and reads do not wait', async () => {
  const store = await openSqliteTelemetryStore(dataDir);
  const journal = openSqlite(join(dataDir, 'telemetry.db'));
  const waiting = journal.prepare('SELECT total(added) AS samples FROM journal');
  const answered: string[] = [];
  let largest = 0;
  const writes = Array.from({ length: 20 }, async (_, n) => {
    await store.write(newSeries(n * SERIES_PER_WRITE, SERIES_PER_WRITE));
    largest = Math.max(largest, Number(waiting.get()?.['samples']));
    answered.push('write');
  });
  const read = store.countSeries(['dev_a'], ['m0']).then(() => answered.push('read'));
  await Promise.all([...writes, read]);
  expect(largest).toBeLessThanOrEqual(2 * SERIES_LIMIT + 3 * SERIES_PER_WRITE);
  expect(answered.indexOf('read')).toBeLessThan(10);
  expect((await store.stats()).samples).toBe(20 * SERIES_PER_WRITE);
  journal.close();
  await store.close();
});

it('a store is behind once more was written than its compaction has moved', () => {
  const db = openSqlite(join(dataDir, 'telemetry.db'));
  migrateSqlite(db, telemetryMigrations);
  const store = new SampleStore(db, { limit: { samples: 1e9, series: 1_000, rows: 1e9, bytes: 1e9 } });
  store.write([newSeries(0, 1_000)]);
  expect(store.isBehind).toBe(false);
  // Begins, and moves nothing yet.
  expect(store.compact(0)).toBe(true);
  store.write([newSeries(1_000, 50)]);
  expect(store.isBehind).toBe(false);
  store.write([newSeries(1_050, 100)]);
  expect(store.isBehind).toBe(true);
  while (store.compact(1_000));
  expect(store.isBehind).toBe(false);
  db.close();
});

it('a store that is restarted during a compaction takes writes at once', () => {
  const db = openSqlite(join(dataDir, 'telemetry.db'));
  migrateSqlite(db, telemetryMigrations);
  let now = 0;
  const limit = { samples: 1e9, series: 1_000, rows: 1e9, bytes: 1e9 };
  const open = () => new SampleStore(db, { limit, nowMs: () => (now += 1) });
  const store = open();
  store.write([newSeries(0, 1_000)]);
  store.compact(600);
  store.write([newSeries(1_000, 700)]);
  expect(store.isBehind).toBe(true);
  const restarted = open();
  expect(restarted.isBehind).toBe(false);
  restarted.write([newSeries(1_700, 400)]);
  expect(restarted.isBehind).toBe(true);
  db.close();
});
