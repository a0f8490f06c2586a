import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isFilled } from '#service/platform/storage/dialects/sqlite.ts';
import { sqliteDialect } from '#service/platform/storage/dialects/sqlite-dialect.ts';
import { SyncFailed } from '#service/platform/storage/dialects/wal-sync.ts';
import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import { startTracedService, type TracedService } from './start-traced-service.ts';
import { canTrace } from './strace.ts';
import { withSqlite } from './with-sqlite.ts';

/**
 * Starts the service on a disk that fails to save `file` at sync number `sync` of a thread. The next syncs succeed, as on
 * Linux. The start syncs telemetry.db twice and penstock.db about 15 times, in up to four threads. Each write syncs once.
 */
const startOnFailingDisk = (dataDir: string, file: string, sync: number): Promise<TracedService> => {
  const fault = `inject=fsync,fdatasync:error=EIO:when=${sync}`;
  const traced = ['-e', 'trace=fsync,fdatasync', '-P', join(dataDir, `${file}-wal`)];
  return startTracedService(dataDir, ['strace', '-f', '-qq', '-o', '/dev/null', ...traced, '-e', fault]);
};

/** Sends requests one after another until the service ends, and returns how many it answered with success. */
const countAnswered = async (
  { url, token, stderr }: TracedService,
  path: string,
  bodyOf: (n: number) => unknown,
): Promise<number> => {
  for (let n = 0; ; n += 1) {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(n)),
    }).catch(() => undefined);
    if (response === undefined) return n;
    if (!response.ok)
      throw new Error(`Request ${n}: ${response.status} ${await response.text()}\n${stderr()}`);
  }
};

const newDataDir = (): string => {
  const dataDir = mkdtempSync(join(tmpdir(), 'penstock-sync-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
};

/** The log of `path` remains: closing the database would have copied it into the file and removed it. */
const expectKilled = async ({ ended, stderr }: TracedService, path: string): Promise<void> => {
  expect(await ended).toBe('SIGKILL');
  expect(stderr()).toContain('"msg":"the disk failed to save data (fsync)"');
  expect(stderr()).toContain('failed to save data, so the service stopped');
  expect(isFilled(`${path}-wal`)).toBe(true);
};

describe.skipIf(!canTrace())('a disk that fails to save data', () => {
  it('stops the service at the first sample that it cannot save, and keeps all that were answered', async () => {
    const dataDir = newDataDir();
    const service = await startOnFailingDisk(dataDir, 'telemetry.db', 12);
    const answered = await countAnswered(service, '/v1/telemetry', (n) => ({
      samples: [{ device: 'pump-1', ts: 1_760_000_000_000 + n, values: { flow: n } }],
    }));
    expect(answered).toBeGreaterThan(0);
    await expectKilled(service, join(dataDir, 'telemetry.db'));
    const store = await openSqliteTelemetryStore(dataDir);
    const { samples } = await store.stats();
    await store.close();
    expect([answered, answered + 1]).toContain(samples);
  });

  it('stops the service at the first device that it cannot save, and keeps all that were answered', async () => {
    const dataDir = newDataDir();
    const service = await startOnFailingDisk(dataDir, 'penstock.db', 60);
    const answered = await countAnswered(service, '/v1/devices', (n) => ({ name: `Pump ${n}` }));
    expect(answered).toBeGreaterThan(0);
    await expectKilled(service, join(dataDir, 'penstock.db'));
    const stored = withSqlite(join(dataDir, 'penstock.db'), (db) =>
      db.prepare('SELECT count(*) AS devices FROM device').get(),
    );
    expect([answered, answered + 1]).toContain(stored?.['devices']);
  });
});

it('does not close a database whose log was not saved, because that would copy the log into the file', async () => {
  const path = join(newDataDir(), 'penstock.db');
  const db = new Kysely({ dialect: sqliteDialect(path) });
  const written = db.transaction().execute(async (tx) => {
    await sql`CREATE TABLE pump (name TEXT)`.execute(tx);
    rmSync(`${path}-wal`);
  });
  await expect(written).rejects.toThrow(SyncFailed);
  await expect(db.destroy()).rejects.toThrow(SyncFailed);
  copyFileSync(path, `${path}-copy`);
  const tables = withSqlite(`${path}-copy`, (file) => file.prepare('SELECT name FROM sqlite_schema').all());
  expect(tables).toEqual([]);
});
