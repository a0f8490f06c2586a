import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findMigration } from '#service/backup/data-files.ts';
import { readConfig } from '#service/config.ts';
import { createLog } from '#service/platform/log.ts';
import { migrateSqlite } from '#service/platform/storage/dialects/sqlite.ts';
import { VERSION } from '#service/platform/version.ts';
import { startService } from '#service/start-service.ts';
import { telemetryMigrations } from '#service/telemetry/store/embedded/telemetry-schema.ts';
import { MAIN } from './built-service.ts';
import { createEarlierDatabase, versions } from './earlier-database.ts';
import { runProgram } from './run-program.ts';
import { canMountDisk, mountSmallDisk } from './small-disk.ts';
import { canTrace } from './strace.ts';
import { withSqlite } from './with-sqlite.ts';

/** More than one transaction converts, so that a kill can come in between. */
const SAMPLES = 60_000;
const [METADATA, TELEMETRY] = [`penstock.db.before-${VERSION}`, `telemetry.db.before-${VERSION}`];
/** The last version whose pipelines this version of the service can run without changes. */
const EARLIER = versions.at(-2)!;

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'penstock-snapshot-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

let earlierTelemetry: Buffer | undefined;

/** A telemetry.db of the first version: a row for each sample. */
const createEarlierTelemetry = (path: string): void => {
  if (earlierTelemetry !== undefined) return writeFileSync(path, earlierTelemetry);
  withSqlite(path, (db) => {
    migrateSqlite(db, telemetryMigrations.slice(0, 1));
    db.exec(`INSERT INTO series (id, device, metric, kind, samples) VALUES (1, 'dev_a', 'n', 'number', ${SAMPLES});
      WITH RECURSIVE t(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM t WHERE i < ${SAMPLES - 1})
      INSERT INTO sample SELECT 1, 1700000000000 + i * 1000, i * 0.5 FROM t`);
  });
  earlierTelemetry = readFileSync(path);
};

/** A data directory of an earlier version, with the snapshot of a migration before. */
const createEarlierData = async (dataDir: string): Promise<void> => {
  await createEarlierDatabase(join(dataDir, 'penstock.db'), EARLIER);
  createEarlierTelemetry(join(dataDir, 'telemetry.db'));
  for (const file of ['penstock.db', 'telemetry.db'])
    writeFileSync(join(dataDir, `${file}.before-0.0.1`), 'older');
};

const settings = (dataDir: string) => ({
  PORT: '0',
  MQTT_PORT: '0',
  SEED: 'none',
  RESERVE_MB: '0',
  DATA_DIR: dataDir,
});

/** Starts the service, reads how many samples and devices it has, and stops it. Returns its log too. */
const startOnce = async (dataDir: string, env: Record<string, string> = {}) => {
  const lines: string[] = [];
  const config = readConfig({ ...settings(dataDir), ...env });
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const service = await startService({ config, log });
  // A telemetry.db that cannot be used has none.
  const { samples } = await service.parts.telemetry.stats().catch(() => ({ samples: 0 }));
  await service.close();
  const devices = withSqlite(
    join(dataDir, 'penstock.db'),
    (db) => db.prepare('SELECT id FROM device WHERE deleted_at IS NULL').all().length,
  );
  return { samples, devices, snapshots: lines.filter((line) => line.includes('copied the databases')) };
};

const snapshotsIn = (dataDir: string) => readdirSync(dataDir).filter((name) => name.includes('.before-'));

/** The copies are of the version before, with all rows. */
const expectSnapshot = (dataDir: string): void => {
  expect(snapshotsIn(dataDir)).toEqual([METADATA, TELEMETRY]);
  const folder = temporaryFolder();
  for (const name of [METADATA, TELEMETRY])
    expect(statSync(join(dataDir, name)).mode & 0o077, 'only the owner can read it').toBe(0);
  for (const name of [METADATA, TELEMETRY]) copyFileSync(join(dataDir, name), join(folder, name));
  withSqlite(join(folder, METADATA), (db) => {
    expect(db.prepare('SELECT max(name) AS name FROM kysely_migration').get()).toEqual({ name: EARLIER });
    expect(db.prepare('SELECT count(*) AS n FROM device').get()).toEqual({ n: 3 });
  });
  withSqlite(join(folder, TELEMETRY), (db) => {
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
    expect(db.prepare('SELECT count(*) AS n FROM sample').get()).toEqual({ n: SAMPLES });
  });
};

it('a start copies the databases that it migrates, keeps the newest copy, and names it in one line', async () => {
  const dataDir = temporaryFolder();
  await createEarlierData(dataDir);
  const { samples, devices, snapshots } = await startOnce(dataDir);
  expect([samples, devices]).toEqual([SAMPLES, 2]);
  expect(snapshots.map((line) => JSON.parse(line).snapshot)).toEqual([
    [join(dataDir, METADATA), join(dataDir, TELEMETRY)],
  ]);
  expectSnapshot(dataDir);
  expect((await startOnce(dataDir)).snapshots, 'nothing is left to migrate').toEqual([]);
  expectSnapshot(dataDir);
});

it('a start copies only the database that it migrates', async () => {
  const dataDir = temporaryFolder();
  await startOnce(dataDir);
  expect(snapshotsIn(dataDir), 'a new database holds no data').toEqual([]);
  for (const name of readdirSync(dataDir).filter((file) => file.startsWith('penstock.db')))
    rmSync(join(dataDir, name));
  await createEarlierDatabase(join(dataDir, 'penstock.db'), EARLIER);
  await startOnce(dataDir);
  expect(snapshotsIn(dataDir)).toEqual([METADATA]);
});

it('MIGRATION_SNAPSHOT=none migrates without a copy', async () => {
  const dataDir = temporaryFolder();
  await createEarlierDatabase(join(dataDir, 'penstock.db'), EARLIER);
  expect(await startOnce(dataDir, { MIGRATION_SNAPSHOT: 'none' })).toEqual({
    samples: 0,
    devices: 2,
    snapshots: [],
  });
  expect(snapshotsIn(dataDir)).toEqual([]);
});

it('a damaged telemetry.db is reported by the service, which starts', async () => {
  const dataDir = temporaryFolder();
  await createEarlierDatabase(join(dataDir, 'penstock.db'), EARLIER);
  writeFileSync(join(dataDir, 'telemetry.db'), 'x'.repeat(8_192));
  expect((await startOnce(dataDir)).devices).toBe(2);
  expect(snapshotsIn(dataDir)).toEqual([METADATA]);
});

it('a start that migrates telemetry.db, which could not be read before, keeps the copy of penstock.db', async () => {
  const dataDir = temporaryFolder();
  await createEarlierData(dataDir);
  const path = join(dataDir, 'telemetry.db');
  renameSync(path, `${path}.away`);
  // Root may read every file, but opens no directory as one.
  mkdirSync(path);
  writeFileSync(join(path, 'file'), '');
  await startOnce(dataDir);
  expect(snapshotsIn(dataDir)).toEqual([METADATA]);
  rmSync(path, { recursive: true });
  renameSync(`${path}.away`, path);
  expect((await startOnce(dataDir)).samples).toBe(SAMPLES);
  expectSnapshot(dataDir);
});

it.skipIf(!canMountDisk())(
  'a start without room for the copy changes nothing and says how much is needed',
  async () => {
    const disk = mountSmallDisk(40);
    onTestFinished(disk.unmount);
    const dataDir = join(disk.path, 'data');
    mkdirSync(dataDir);
    await createEarlierData(dataDir);
    disk.leaveFree(17 * 1_048_576);
    const contents = () => ['penstock.db', 'telemetry.db'].map((name) => readFileSync(join(dataDir, name)));
    const [names, before] = [readdirSync(dataDir), contents()];
    const fail = async () => {
      const { code, stderr } = await runProgram([MAIN], settings(dataDir)).ended;
      expect(code).toBe(1);
      return stderr.split('\n').filter((line) => line.startsWith('penstock: '));
    };
    expect(await fail()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^penstock: Penstock ${VERSION} copies penstock\\.db and telemetry\\.db before it migrates the data\\. This needs 18 MiB on the disk of DATA_DIR "${dataDir}", which has 17 MiB free\\. Nothing was changed\\. Free space, for example by deleting penstock\\.db\\.before-0\\.0\\.1, or set MIGRATION_SNAPSHOT=none after a backup to another disk\\. Then start Penstock again\\.$`,
        ),
      ),
    ]);
    expect(contents()).toEqual(before);
    expect(readdirSync(dataDir).filter((name) => name !== 'lock.db')).toEqual(names);
    for (const file of ['penstock.db', 'telemetry.db']) rmSync(join(dataDir, `${file}.before-0.0.1`));
    writeFileSync(join(dataDir, METADATA), 'own');
    expect(await fail(), 'a copy of this version may be the only one').toEqual([
      expect.stringContaining('Nothing was changed. Free space, or set MIGRATION_SNAPSHOT=none'),
    ]);
    expect(snapshotsIn(dataDir)).toEqual([METADATA]);
    disk.empty();
    expect((await startOnce(dataDir)).samples).toBe(SAMPLES);
    expectSnapshot(dataDir);
  },
);

/** What a start does as it is killed, on the nth call for a file. */
const MOMENTS = [
  ['while penstock.db is copied', 'pwrite64', `${METADATA}.partial`, 5],
  ['while telemetry.db is copied', 'pwrite64', `${TELEMETRY}.partial`, 40],
  ['before a copy is synced', 'fsync', `${TELEMETRY}.partial`, 1],
  ['before the first copy has its name', 'rename', `${METADATA}.partial`, 1],
  ['between the names of the copies', 'rename', `${TELEMETRY}.partial`, 1],
  ['before the older copy is deleted', 'unlink,rmdir', 'penstock.db.before-0.0.1', 1],
  ['while penstock.db is migrated', 'pwrite64', 'penstock.db-wal', 4],
  ['before telemetry.db is migrated', 'pwrite64', 'telemetry.db-wal', 1, 'due'],
  ['while the samples are converted', 'pwrite64', 'telemetry.db-wal', 100, 'begun'],
] as const;

describe.skipIf(!canTrace())('a data directory whose start was killed', () => {
  it.each(MOMENTS)(
    '%s starts again with all its data and a whole copy',
    async (_, call, file, nth, state?) => {
      const dataDir = temporaryFolder();
      await createEarlierData(dataDir);
      const fault = [
        '-e',
        `trace=${call}`,
        '-P',
        join(dataDir, file),
        '-e',
        `inject=${call}:signal=SIGKILL:when=${nth}`,
      ];
      const args = ['-f', '-qq', '-o', '/dev/null', ...fault, process.execPath, MAIN];
      const { code, stderr } = await runProgram(args, settings(dataDir), 'strace').ended;
      expect([code, stderr.includes('"listening"')]).toEqual([null, false]);
      if (state !== undefined)
        withSqlite(join(dataDir, 'telemetry.db'), (db) =>
          expect(findMigration['telemetry.db'](db)).toBe(state),
        );
      expect(await startOnce(dataDir)).toMatchObject({ samples: SAMPLES, devices: 2 });
      expectSnapshot(dataDir);
    },
  );
});
