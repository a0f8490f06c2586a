import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSqlite, type DatabaseSync } from '#service/platform/storage/dialects/sqlite.ts';
import { SampleStore } from '#service/telemetry/store/embedded/sample-store.ts';
import { readSyncedBytes, traceLog } from '#tests/kill/parts/synced-bytes.ts';
import { cutWal } from '#tests/kill/parts/wal-cuts.ts';
import { canTrace } from './strace.ts';
import { startTracedService, type TracedService } from './start-traced-service.ts';

const WRITERS = 12;
const ANSWERS = 150;
const GARBAGE_BYTES = 4_096;
/** A disk so slow that the kill comes before the sync of an answer that did not wait for it, in µs. */
const SLOW_SYNC = ['-e', 'inject=fsync,fdatasync:delay_enter=30000'];

type Subject = {
  readonly file: string;
  readonly path: string;
  readonly bodyOf: (name: string) => unknown;
  readonly storedNames: (db: DatabaseSync) => unknown[];
};

/** The names in a column of a query. */
const select = (db: DatabaseSync, query: string): unknown[] =>
  db
    .prepare(query)
    .all()
    .map(({ name }) => name);

/** The values of all samples, from chunks and the journal. */
const readValues = (db: DatabaseSync): unknown[] => {
  const devices = select(db, 'SELECT DISTINCT device AS name FROM series').map(String);
  const all = { devices, fromMs: -Infinity, toMs: Infinity };
  const { series } = new SampleStore(db).reader.scan(all, Infinity);
  return series.flatMap(({ value = [] }) => [...value]);
};

const SUBJECTS: Record<string, Subject> = {
  device: {
    file: 'penstock.db',
    path: '/v1/devices',
    bodyOf: (name) => ({ name }),
    storedNames: (db) => select(db, 'SELECT name FROM device'),
  },
  sample: {
    file: 'telemetry.db',
    path: '/v1/telemetry',
    bodyOf: (name) => ({ samples: [{ device: 'pump', values: { [name]: name } }] }),
    storedNames: readValues,
  },
};

/** Writes from several clients at once, and kills the service among the answers. Returns the answered names. */
const writeUntilKilled = async (
  { url, token, kill }: TracedService,
  { path, bodyOf }: Subject,
): Promise<string[]> => {
  const answered: string[] = [];
  let killed: Promise<void> | undefined;
  const write = async (writer: number) => {
    for (let n = 0; killed === undefined; n += 1) {
      const name = `${writer}-${n}`;
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(name)),
      }).catch(() => undefined);
      if (response?.ok !== true) return;
      answered.push(name);
      if (answered.length >= ANSWERS) killed ??= kill();
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  await killed;
  return answered;
};

it.skipIf(!canTrace()).each(Object.entries(SUBJECTS))(
  'keeps every answered %s after a loss of power, though writes made at once share a sync of the disk',
  async (_, subject) => {
    const root = mkdtempSync(join(tmpdir(), 'penstock-power-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const [dataDir, traceFile, image] = [join(root, 'data'), join(root, 'trace'), join(root, 'image.db')];
    mkdirSync(dataDir);
    const wal = join(dataDir, `${subject.file}-wal`);
    const service = await startTracedService(dataDir, [...traceLog(wal, traceFile), ...SLOW_SYNC]);
    const answered = await writeUntilKilled(service, subject);
    const { synced, syncs } = readSyncedBytes(traceFile);
    expect(syncs).toBeLessThan(answered.length);
    for (const torn of [0, GARBAGE_BYTES]) {
      copyFileSync(join(dataDir, subject.file), image);
      copyFileSync(wal, `${image}-wal`);
      rmSync(`${image}-shm`, { force: true });
      cutWal(`${image}-wal`, synced, torn);
      const db = openSqlite(image);
      const stored = new Set(subject.storedNames(db));
      db.close();
      expect(answered.filter((name) => !stored.has(name))).toEqual([]);
    }
  },
  120_000,
);
