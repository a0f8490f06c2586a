import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrateSqlite, openSqlite, type DatabaseSync } from '#service/platform/storage/dialects/sqlite.ts';
import { upgradeTelemetryFile } from '#service/telemetry/store/embedded/convert-sample-table.ts';
import { SampleStore } from '#service/telemetry/store/embedded/sample-store.ts';
import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import { telemetryMigrations } from '#service/telemetry/store/embedded/telemetry-schema.ts';

const ALL = { devices: ['dev_a', 'dev_b'], fromMs: -Infinity, toMs: Infinity };
const SAMPLES = 60_000;

let dataDir: string;
let db: DatabaseSync;
/** A file as the first version wrote it: a row for each sample. */
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'penstock-conversion-'));
  db = openSqlite(join(dataDir, 'telemetry.db'));
  migrateSqlite(db, telemetryMigrations.slice(0, 1));
  const insertSeries = db.prepare(
    'INSERT INTO series (id, device, metric, kind, unit, samples) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const insert = db.prepare('INSERT INTO sample VALUES (?, ?, ?)');
  db.exec('BEGIN');
  insertSeries.run(3, 'dev_a', 'temp', 'number', '°C', SAMPLES);
  insertSeries.run(4, 'dev_a', 'on', 'boolean', null, 2);
  insertSeries.run(9, 'dev_b', 'mode', 'string', null, 2);
  for (let i = 0; i < SAMPLES; i += 1) insert.run(3, 1_760_000_000_000 + i * 1_000, (i % 100) / 10);
  for (const [series, value] of [
    [4, 1],
    [9, 'eco'],
  ] as const) {
    insert.run(series, -5, value);
    insert.run(series, 5, series === 4 ? 0 : '\u0000 ü');
  }
  db.exec('COMMIT');
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const expectAll = (store: SampleStore): void => {
  expect(store.samples).toBe(SAMPLES + 4);
  const { series } = store.reader.scan(ALL, SAMPLES * 2);
  expect(series.map(({ metric, ts }) => [metric, ts.length])).toEqual([
    ['on', 2],
    ['temp', SAMPLES],
    ['mode', 2],
  ]);
  expect(series[0]).toMatchObject({ ts: Float64Array.of(-5, 5), value: [true, false] });
  expect(series[1]?.unit).toBe('°C');
  expect(Array.from<unknown>(series[1]?.value ?? [])).toEqual(
    Array.from({ length: SAMPLES }, (_, i) => (i % 100) / 10),
  );
  expect(series[2]?.value).toEqual(['eco', '\u0000 ü']);
};

it('moves the samples of the first version into chunks, and says how far it is', () => {
  const reports: number[] = [];
  upgradeTelemetryFile(db, { freeBytes: () => Infinity, report: (samples) => void reports.push(samples) });
  expect(reports).toEqual([50_000, SAMPLES + 4]);
  expectAll(new SampleStore(db));
  expect(db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'sample'").get()).toEqual({ n: 0 });
  db.close();
});

it('goes on where it was stopped', () => {
  const stop = (): never => {
    throw new Error('stopped');
  };
  for (let starts = 0; starts < 2; starts += 1)
    expect(() => upgradeTelemetryFile(db, { freeBytes: () => Infinity, report: stop })).toThrow('stopped');
  upgradeTelemetryFile(db, { freeBytes: () => Infinity, report: () => undefined });
  expectAll(new SampleStore(db));
  db.close();
});

it('does not begin where the disk has too little room, and leaves the samples as they are', () => {
  const options = { freeBytes: () => 1_000_000, report: () => undefined };
  expect(() => upgradeTelemetryFile(db, options)).toThrow(
    'An earlier version of Penstock wrote the file, and it could not be converted (the disk has too little space).',
  );
  expect(db.prepare('SELECT count(*) AS n FROM sample').get()).toEqual({ n: SAMPLES + 4 });
  upgradeTelemetryFile(db, { ...options, freeBytes: () => Infinity });
  expectAll(new SampleStore(db));
  db.close();
});

/** What the later steps of the schema added, to undo. */
const SINCE_VERSION_3 =
  'ALTER TABLE progress DROP COLUMN partial_series; ALTER TABLE progress DROP COLUMN partial_until';

it.each([
  [2, `${SINCE_VERSION_3}; DROP TABLE rollup`],
  [3, SINCE_VERSION_3],
])('keeps the samples of version %i', (version, undo) => {
  upgradeTelemetryFile(db, { freeBytes: () => Infinity, report: () => undefined });
  db.exec(`${undo}; PRAGMA user_version = ${version}`);
  upgradeTelemetryFile(db, { freeBytes: () => Infinity, report: () => undefined });
  expectAll(new SampleStore(db));
  db.close();
});

it('is done when the store opens', async () => {
  db.close();
  const converted: number[] = [];
  const store = await openSqliteTelemetryStore(dataDir, {
    onConverted: (samples) => converted.push(samples),
  });
  expect(converted.at(-1)).toBe(SAMPLES + 4);
  expect((await store.stats()).samples).toBe(SAMPLES + 4);
  expect((await store.metrics(['dev_b'])).map(({ value }) => value)).toEqual(['\u0000 ü']);
  await store.close();
});
