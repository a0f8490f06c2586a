import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '#service/platform/storage/dialects/sqlite.ts';
import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import { programEnv } from './program-env.ts';
import { canTrace } from './strace.ts';

const MAIN = join(import.meta.dirname, '../../src/service/main.ts');

type Started = {
  readonly url: string;
  readonly token: string;
  readonly ended: Promise<number | null>;
  readonly stderr: () => string;
};

/** Starts the service on a disk that fails to save `file` from its sync number `sync` on. */
const startOnFailingDisk = async (dataDir: string, file: string, sync: number): Promise<Started> => {
  const wal = join(dataDir, `${file}-wal`);
  const fault = `inject=fsync,fdatasync:error=EIO:when=${sync}+`;
  const child = spawn(
    'strace',
    [
      '-f',
      '-qq',
      '-o',
      '/dev/null',
      '-P',
      wal,
      '-e',
      'trace=fsync,fdatasync',
      '-e',
      fault,
      process.execPath,
      MAIN,
    ],
    { detached: true, env: { ...programEnv, PORT: '0', MQTT_PORT: '0', SEED: 'none', DATA_DIR: dataDir } },
  );
  // Strace and the service, which would outlive it.
  onTestFinished(() => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  await expect.poll(() => stderr, { timeout: 30_000 }).toContain('"listening"');
  const url = /"url":"([^"]+)"/u.exec(stderr)?.[1] ?? '';
  const signin = /#signin=(\S+)/u.exec(stdout)?.[1];
  const response = await fetch(`${url}/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: signin }),
  });
  const { token } = (await response.json()) as { token: string };
  return { url, token, ended, stderr: () => stderr };
};

/** Sends requests one after another until one is not answered with success. Returns how many were. */
const countAnswered = async (
  { url, token }: Started,
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

const expectStopped = async ({ ended, stderr }: Started): Promise<void> => {
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
