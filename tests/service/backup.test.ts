import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { create as createTar, extract as extractTar } from 'tar';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BackupError } from '#service/backup/backup-error.ts';
import { createBackup } from '#service/backup/backup.ts';
import { restoreBackup } from '#service/backup/restore.ts';
import { LAUNCH } from './built-service.ts';
import { httpPipelinesOf } from './http-pipelines.ts';
import { runProgram, type ProgramOutput } from './run-program.ts';
import { canMountDisk, mountSmallDisk } from './small-disk.ts';
import { startTestService, type TestService } from './start-test-service.ts';
import { withSqlite } from './with-sqlite.ts';

let service: TestService;
let folder: string;
/** A backup of the service with 50 samples of a pipeline, taken while more arrived. */
let archive: string;
let pipelineId: string;
let key: string;
const SENT_BEFORE = 50;
let sentMeanwhile: number;
let taken: ProgramOutput;
beforeAll(async () => {
  service = await startTestService();
  folder = mkdtempSync(join(tmpdir(), 'penstock-backup-'));
  archive = join(folder, 'penstock.tar');
  pipelineId = await create();
  key = (await service.mintKey(['devices:read'])).secret;
  for (let n = 1; n <= SENT_BEFORE; n += 1) await sendNumber(n);
  sentMeanwhile = 0;
  taken = await run('backup', archive, service.dataDir, async () => {
    await sendNumber(SENT_BEFORE + 1);
    sentMeanwhile += 1;
  });
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});
const { create, send, read } = httpPipelinesOf(() => service);
const sendNumber = (n: number) =>
  send(pipelineId, { device: 'pump', ts: 1_700_000_000_000 + n * 1_000, values: { n } });

type Command = 'backup' | 'restore';

/** Runs a command. `onCopy` runs while telemetry.db is copied. */
const run = async (
  command: Command,
  file: string | undefined,
  dataDir: string,
  onCopy?: (pid: number) => unknown,
): Promise<ProgramOutput> => {
  const args = [LAUNCH, command, ...(file === undefined ? [] : [file])];
  const { child, output, ended } = runProgram(args, { DATA_DIR: dataDir, INIT_CWD: folder });
  let copying: unknown;
  child.stderr?.on('data', () => {
    if (output.stderr.includes('Copying telemetry.db') && child.pid !== undefined)
      copying ??= Promise.resolve(onCopy?.(child.pid));
  });
  const result = await ended;
  await copying;
  return result;
};

// Most cases run without a process of their own, which takes a second to start.
const report = () => undefined;
const backUp = (name: string, dataDir: string) =>
  createBackup({ dataDir, archive: resolve(folder, name), now: Date.now, report });
const restoreTo = (name: string, file = archive) =>
  restoreBackup({ dataDir: join(folder, name), archive: file, report });
const lastLine = ({ stderr }: ProgramOutput) => stderr.trim().split('\n').at(-1);
const left = (name: string) => readdirSync(join(folder, name)).filter((file) => file !== 'lock.db');
const overwrite = (path: string, position: number, bytes: Buffer) => {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, position);
  closeSync(file);
};
/** An archive with other files than those of the backup. */
const repacked = async (name: string, change: (content: string) => void): Promise<string> => {
  const content = join(folder, `${name}-content`);
  mkdirSync(content);
  await extractTar({ file: archive, cwd: content });
  change(content);
  const file = join(folder, `${name}.tar`);
  await createTar({ file, cwd: content, portable: true }, readdirSync(content).toSorted());
  return file;
};

/** Writes the checksum of a changed telemetry.db into the manifest. */
const updateDigest = (content: string): void => {
  const manifest = JSON.parse(readFileSync(join(content, 'manifest.json'), 'utf8'));
  const bytes = readFileSync(join(content, 'telemetry.db'));
  manifest.files['telemetry.db'] = {
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
  writeFileSync(join(content, 'manifest.json'), JSON.stringify(manifest));
};

it('a backup of a service under load contains everything that was answered before it, and its ledger', async () => {
  expect([taken.code, sentMeanwhile]).toEqual([0, 1]);
  expect(taken.stdout).toContain(`Backup written to ${archive}. It contains all keys and secrets`);
  expect(statSync(archive).mode & 0o077, 'only the owner can read it').toBe(0);
  expect(readdirSync(folder), 'no temporary files').toEqual(['penstock.tar']);
  await service.restart(async () => {
    for (const file of readdirSync(service.dataDir)) rmSync(join(service.dataDir, file), { recursive: true });
    const { code, stdout } = await run('restore', basename(archive), service.dataDir);
    expect(code).toBe(0);
    expect(stdout).toContain(`Restored into ${service.dataDir}. Start Penstock with this DATA_DIR.`);
  });
  const { ledger } = await read(pipelineId);
  expect(ledger.received).toBe(ledger.delivered + ledger.pending + ledger.rejected + ledger.skipped);
  expect(ledger.delivered).toBeGreaterThanOrEqual(SENT_BEFORE);
  const range = 'from=1700000000000&to=1800000000000';
  const { body } = await service.request('GET', `/v1/telemetry?device=pump&metric=n&${range}`);
  const stored: number[] = body.series[0].value;
  // The snapshot of the samples is opened after that of the ledger: it may have the message under way.
  expect(stored.length - ledger.delivered).toBeOneOf([0, 1]);
  expect(stored).toEqual(Array.from({ length: stored.length }, (_, n) => n + 1));
  expect((await service.request('GET', '/v1/devices', { token: key })).status, 'keys are restored').toBe(200);
  expect((await service.request('GET', '/v1/storage')).body.files).toEqual([]);
});

describe('a backup', () => {
  it('does not replace a file', async () => {
    expect(await run('backup', archive, service.dataDir)).toMatchObject({
      code: 1,
      stderr: `penstock: ${archive} already exists. Choose another name, or delete it.\n`,
    });
  });

  it('requires a name, a folder that exists and a data directory with data', async () => {
    expect(lastLine(await run('backup', undefined, service.dataDir))).toBe(
      'penstock: Specify one file: penstock backup penstock.tar',
    );
    expect(lastLine(await run('backup', join(archive, 'penstock.tar'), service.dataDir))).toMatch(
      /^penstock: ENOTDIR: not a directory/,
    );
    await expect(backUp('missing/penstock.tar', service.dataDir)).rejects.toThrow(
      new BackupError(`There is no folder ${join(folder, 'missing')}. Create it.`),
    );
    await expect(backUp('other.tar', folder)).rejects.toThrow(
      new BackupError(`There is no penstock.db in DATA_DIR "${folder}", so there is nothing to back up.`),
    );
  });

  it.each([
    ['header', 0],
    ['content', 4_096],
  ])('of a database with a damaged %s is not written', async (name, position) => {
    await restoreTo(name);
    const path = join(folder, name, 'telemetry.db');
    overwrite(path, position, Buffer.alloc(statSync(path).size - position, 0x5a));
    await expect(backUp(`of-${name}.tar`, join(folder, name))).rejects.toSatisfy(
      (error) => error instanceof BackupError && /^telemetry\.db is damaged \(.+\)\.$/.test(error.message),
    );
    expect(readdirSync(folder).filter((file) => /backup-|of-/.test(file))).toEqual([]);
  });

  it('of a database that cannot be opened names the file', async () => {
    await restoreTo('unopenable');
    const dataDir = join(folder, 'unopenable');
    rmSync(join(dataDir, 'telemetry.db'));
    mkdirSync(join(dataDir, 'telemetry.db'));
    expect(await run('backup', 'of-unopenable.tar', dataDir)).toMatchObject({
      code: 1,
      stderr: `penstock: telemetry.db in DATA_DIR "${dataDir}" cannot be opened. Check that it is a file that this user can read and write.\n`,
    });
  });

  it('of a newer version is not written', async () => {
    await restoreTo('newer');
    withSqlite(join(folder, 'newer/penstock.db'), (db) =>
      db.exec("INSERT INTO kysely_migration VALUES ('9999-later', '2030-01-01T00:00:00.000Z')"),
    );
    await expect(backUp('newer.tar', join(folder, 'newer'))).rejects.toThrow(
      new BackupError(
        'penstock.db was written by a newer version of Penstock (schema 9999-later). Install that version or a newer one, or set DATA_DIR to another directory.',
      ),
    );
  });

  it.each(['penstock.db', 'telemetry.db'])('of %s without tables is not written', async (file) => {
    const name = `blank-${file}`;
    await restoreTo(name);
    rmSync(join(folder, name, file));
    withSqlite(join(folder, name, file), (db) => db.exec('CREATE TABLE x (y); DROP TABLE x'));
    await expect(backUp(`${name}.tar`, join(folder, name))).rejects.toThrow(
      new BackupError(
        `${file} has no tables of Penstock. Start Penstock with this DATA_DIR once, which creates them.`,
      ),
    );
  });

  it.skipIf(!canMountDisk())(
    'reads a read-only disk, and a restore to a full one leaves nothing',
    async () => {
      const disk = mountSmallDisk(100);
      onTestFinished(disk.unmount);
      const restored = await run('restore', archive, disk.path);
      expect(restored).toMatchObject({ code: 0 });
      disk.setReadOnly(true);
      expect(await run('backup', 'of-read-only.tar', disk.path)).toMatchObject({ code: 0 });
      disk.setReadOnly(false);
      for (const file of readdirSync(disk.path)) rmSync(join(disk.path, file));
      disk.fill();
      const result = await run('restore', archive, disk.path);
      expect([result.code, lastLine(result)]).toEqual([
        1,
        expect.stringMatching(
          / MiB free, but this needs .+ MiB\. Free some space, or choose another disk\.$/,
        ),
      ]);
      expect(readdirSync(disk.path).filter((file) => file.includes('.db') && file !== 'lock.db')).toEqual([]);
    },
  );

  it('that a signal ends leaves no files', async () => {
    await restoreTo('large');
    withSqlite(join(folder, 'large/telemetry.db'), (db) =>
      db.exec('CREATE TABLE filler (data BLOB); INSERT INTO filler VALUES (zeroblob(100000000))'),
    );
    const result = await run('backup', 'stopped.tar', join(folder, 'large'), (pid) =>
      process.kill(pid, 'SIGTERM'),
    );
    expect(result.code).toBe(143);
    expect(existsSync(join(folder, 'stopped.tar'))).toBe(false);
    expect(readdirSync(folder).filter((file) => file.startsWith('.'))).toEqual([]);
    rmSync(join(folder, 'large'), { recursive: true });
  });
});

describe('a restore', () => {
  it('does not replace data, and needs a directory that no service uses', async () => {
    expect(lastLine(await run('restore', archive, service.dataDir))).toContain(
      'is in use by another Penstock',
    );
    await restoreTo('once');
    await expect(restoreTo('once')).rejects.toThrow(
      new BackupError(
        `DATA_DIR "${join(folder, 'once')}" contains penstock.db. Move it away, or set DATA_DIR to another directory.`,
      ),
    );
  });

  it('rejects files that are not a whole backup, and leaves nothing behind', async () => {
    const cut = join(folder, 'cut.tar');
    copyFileSync(archive, cut);
    truncateSync(cut, 100_000);
    const changed = join(folder, 'changed.tar');
    copyFileSync(archive, changed);
    overwrite(changed, statSync(changed).size - 20_000, Buffer.from('changed'));
    const text = join(folder, 'text.tar');
    writeFileSync(text, 'text\n');
    const linked = await repacked('linked', (content) => {
      rmSync(join(content, 'telemetry.db'));
      symlinkSync('/etc/hostname', join(content, 'telemetry.db'));
    });
    const miscounted = await repacked('miscounted', (content) => {
      const manifest = join(content, 'manifest.json');
      const [found, wrong] = ['"pipelines": 1', '"pipelines": 2'];
      const before = readFileSync(manifest, 'utf8');
      expect(before).toContain(found);
      writeFileSync(manifest, before.replace(found, wrong));
    });
    for (const [path, line] of [
      [cut, 'is not a backup of Penstock, or it is truncated.'],
      [text, 'is not a backup of Penstock, or it is truncated.'],
      [changed, 'is damaged: telemetry.db is missing, or its checksum is wrong.'],
      [linked, 'is damaged: telemetry.db is missing, or its checksum is wrong.'],
      [miscounted, ' 1 pipeline, '],
      [join(folder, 'no.tar'), 'There is no file'],
    ] as const)
      await expect(restoreTo('rejected', path)).rejects.toSatisfy(
        (error) => error instanceof BackupError && error.message.includes(line),
      );
    const ofFolder = await run('restore', folder, join(folder, 'rejected'));
    expect([ofFolder.code, lastLine(ofFolder)]).toEqual([1, expect.stringContaining('EISDIR')]);
    expect(left('rejected')).toEqual([]);
  });

  it('of a newer version is rejected', async () => {
    const newer = await repacked('later', (content) => {
      withSqlite(join(content, 'telemetry.db'), (db) =>
        db.exec('PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)'),
      );
      updateDigest(content);
    });
    await expect(restoreTo('later', newer)).rejects.toSatisfy(
      (error) =>
        error instanceof BackupError &&
        /^The backup was written by Penstock \S+, which is newer than this version\. Restore it with/.test(
          error.message,
        ),
    );
    expect(left('later')).toEqual([]);
  });

  it('gives the files to their owner only, whatever the archive says', async () => {
    const open = await repacked('open', (content) => {
      for (const file of ['penstock.db', 'telemetry.db']) chmodSync(join(content, file), 0o444);
    });
    expect(await run('restore', open, join(folder, 'open'))).toMatchObject({ code: 0 });
    for (const file of ['penstock.db', 'telemetry.db'])
      expect(statSync(join(folder, 'open', file)).mode & 0o777).toBe(0o600);
  });
});
