import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqlite } from '#service/platform/storage/dialects/sqlite.ts';
import { httpPipelinesOf } from './http-pipelines.ts';
import { programEnv } from './program-env.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const LAUNCH = join(import.meta.dirname, '../../src/service/launch.js');

let service: TestService;
let folder: string;
let archive: string;
beforeAll(async () => {
  service = await startTestService();
  folder = mkdtempSync(join(tmpdir(), 'penstock-backup-'));
  archive = join(folder, 'penstock.tar');
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});
const { create, send, read } = httpPipelinesOf(() => service);

type Run = { code: number | null; stdout: string; stderr: string };

const run = (option: 'backup' | 'restore', file: string | undefined, dataDir: string): Promise<Run> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [LAUNCH, `--${option}`, ...(file === undefined ? [] : [file])], {
      env: { ...programEnv, DATA_DIR: dataDir },
    });
    const result: Run = { code: null, stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (result.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (result.stderr += chunk.toString()));
    child.on('close', (code) => resolve({ ...result, code }));
  });

const restoreTo = (name: string, file = archive) => run('restore', file, join(folder, name));
const contents = (name: string) => readdirSync(join(folder, name)).filter((file) => file !== 'lock.db');

it('of a service under load contains everything that was answered before it, and its ledger', async () => {
  const id = await create();
  const { secret } = await service.mintKey(['devices:read']);
  let sent = 0;
  const sendNext = async () => {
    const n = (sent += 1);
    await send(id, { device: 'pump', ts: 1_700_000_000_000 + n * 1_000, values: { n } });
  };
  for (let n = 0; n < 50; n += 1) await sendNext();
  const before = sent;
  const backup = run('backup', archive, service.dataDir);
  const running = { backup: true };
  void backup.finally(() => (running.backup = false));
  while (running.backup) await sendNext();
  expect(sent).toBeGreaterThan(before);
  const { code, stdout } = await backup;
  expect(code).toBe(0);
  expect(stdout).toMatch(/Backup written to .*penstock\.tar\. It contains all keys and secrets/);
  expect(statSync(archive).mode & 0o077, 'only the owner can read it').toBe(0);
  expect(readdirSync(folder), 'no temporary files').toEqual(['penstock.tar']);

  await service.restart(async () => {
    for (const file of readdirSync(service.dataDir)) rmSync(join(service.dataDir, file), { recursive: true });
    expect(await run('restore', archive, service.dataDir)).toMatchObject({ code: 0 });
  });
  const { ledger } = await read(id);
  expect(ledger.received).toBe(ledger.delivered + ledger.pending + ledger.rejected + ledger.skipped);
  expect(ledger.delivered).toBeGreaterThanOrEqual(before);
  const { body } = await service.request(
    'GET',
    `/v1/telemetry?device=pump&metric=n&from=1700000000000&to=1800000000000`,
  );
  const stored: number[] = body.series[0].value;
  // The samples are copied at the same time as the ledger; at most the message under way is not in both.
  expect(stored.length - ledger.delivered).toBeOneOf([0, 1]);
  expect(stored).toEqual(Array.from({ length: stored.length }, (_, n) => n + 1));
  const { status } = await service.request('GET', '/v1/devices', { token: secret });
  expect(status, 'keys are restored').toBe(200);
  const { body: storage } = await service.request('GET', '/v1/storage');
  expect(storage.files).toEqual([]);
});

describe('a backup', () => {
  it('does not replace a file', async () => {
    expect(await run('backup', archive, service.dataDir)).toMatchObject({
      code: 1,
      stderr: `penstock: ${archive} exists. Choose another name, or delete it.\n`,
    });
  });

  it('requires a name, a folder that exists and a data directory with data', async () => {
    expect((await run('backup', undefined, service.dataDir)).stderr).toBe(
      'penstock: Name a file: npm run backup -- penstock.tar\n',
    );
    const missing = join(folder, 'missing/penstock.tar');
    expect((await run('backup', missing, service.dataDir)).stderr).toBe(
      `penstock: There is no folder ${join(folder, 'missing')}. Create it.\n`,
    );
    expect((await run('backup', join(folder, 'other.tar'), folder)).stderr).toBe(
      `penstock: There is no penstock.db in DATA_DIR "${folder}", so there is nothing to back up.\n`,
    );
  });

  it('of a damaged database is not written', async () => {
    const data = join(folder, 'damaged');
    expect(await restoreTo('damaged')).toMatchObject({ code: 0 });
    const file = openSync(join(data, 'telemetry.db'), 'r+');
    const size = statSync(join(data, 'telemetry.db')).size;
    writeSync(file, Buffer.alloc(size - 4_096, 0x5a), 0, size - 4_096, 4_096);
    closeSync(file);
    const { code, stderr } = await run('backup', join(folder, 'of-damaged.tar'), data);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^penstock: telemetry\.db is damaged \(.+\)\.$/m);
    expect(readdirSync(folder).filter((name) => name.includes('of-damaged'))).toEqual([]);
  });
});

describe('a restore', () => {
  it('does not replace data, and needs a directory that no service uses', async () => {
    expect((await run('restore', archive, service.dataDir)).stderr).toContain(
      'is in use by another Penstock',
    );
    expect(await restoreTo('once')).toMatchObject({ code: 0 });
    expect((await restoreTo('once')).stderr).toBe(
      `penstock: DATA_DIR "${join(folder, 'once')}" contains penstock.db. Move it away, or set DATA_DIR to another directory.\n`,
    );
  });

  it('rejects files that are not a whole backup, and leaves nothing behind', async () => {
    const cut = join(folder, 'cut.tar');
    const changed = join(folder, 'changed.tar');
    const text = join(folder, 'text.tar');
    execFileSync('cp', [archive, changed]);
    const file = openSync(changed, 'r+');
    writeSync(file, Buffer.from('changed'), 0, 7, statSync(changed).size - 20_000);
    closeSync(file);
    execFileSync('sh', ['-c', `head -c 100000 "$0" > "$1"; echo text > "$2"`, archive, cut, text]);
    for (const [path, line] of [
      [cut, 'is not a backup of Penstock, or it is cut off.'],
      [text, 'is not a backup of Penstock, or it is cut off.'],
      [changed, 'is damaged: telemetry.db is missing or not as it was written.'],
      [join(folder, 'no.tar'), 'There is no file'],
    ] as const) {
      const { code, stderr } = await restoreTo('rejected', path);
      expect([code, stderr.trim().split('\n').at(-1)]).toEqual([1, expect.stringContaining(line)]);
    }
    expect(contents('rejected')).toEqual([]);
  });

  it('of a newer version is refused in one line', async () => {
    const data = join(folder, 'newer');
    mkdirSync(data);
    expect(await restoreTo('newer')).toMatchObject({ code: 0 });
    const db = openSqlite(join(data, 'penstock.db'));
    db.exec("INSERT INTO kysely_migration VALUES ('9999-later', '2030-01-01T00:00:00.000Z')");
    db.close();
    const { stderr } = await run('backup', join(folder, 'newer.tar'), data);
    expect(stderr.trim().split('\n').at(-1)).toBe(
      'penstock: penstock.db was written by a newer version of Penstock (schema 9999-later). Install that version or a newer one, or set DATA_DIR to another directory.',
    );
  });
});
