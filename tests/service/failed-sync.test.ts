import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '#service/platform/storage/dialects/sqlite.ts';
import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import { startTracedService, type TracedService } from './start-traced-service.ts';
import { canTrace } from './strace.ts';

/** Starts the service on a disk that fails to save `file` from its sync number `sync` on. */
const startOnFailingDisk = (dataDir: string, file: string, sync: number): Promise<TracedService> => {
  const fault = `inject=fsync,fdatasync:error=EIO:when=${sync}+`;
  const traced = ['-e', 'trace=fsync,fdatasync', '-P', join(dataDir, `${file}-wal`)];
  return startTracedService(dataDir, ['strace', '-f', '-qq', '-o', '/dev/null', ...traced, '-e', fault]);
};

/** Sends requests one after another until one is not answered with success. Returns how many were. */
const countAnswered = async (
  { url, token }: TracedService,
  path: string,
  bodyOf: (n: number) => unknown,
): Promise<number> => {
  for (let n = 0; ; n += 1) {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(n)),
    }).catch(() => undefined);
    if (response?.ok !== true) return n;
  }
};

const newDataDir = (): string => {
  const dataDir = mkdtempSync(join(tmpdir(), 'penstock-sync-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
};

const expectStopped = async ({ ended, stderr }: TracedService): Promise<void> => {
  expect(await ended).toBe(1);
  expect(stderr()).toContain('failed to save data, so the service stopped');
};

describe.skipIf(!canTrace())('a disk that fails to save data', () => {
  it('stops the service at the first sample that it cannot save, and keeps all that were answered', async () => {
    const dataDir = newDataDir();
    const service = await startOnFailingDisk(dataDir, 'telemetry.db', 12);
    const answered = await countAnswered(service, '/v1/telemetry', (n) => ({
      samples: [{ device: 'pump-1', ts: 1_760_000_000_000 + n, values: { flow: n } }],
    }));
    expect(answered).toBeGreaterThan(0);
    await expectStopped(service);
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
    await expectStopped(service);
    const db = openSqlite(join(dataDir, 'penstock.db'));
    const { devices } = db.prepare('SELECT count(*) AS devices FROM device').get() ?? {};
    db.close();
    expect([answered, answered + 1]).toContain(devices);
  });
});
