import { existsSync } from 'node:fs';
import { link, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatMebibytes } from '../platform/storage/format-mebibytes.ts';
import { isCannotOpen } from '../platform/storage/damaged-file.ts';
import { probeReadOnly } from '../platform/storage/disk-full.ts';
import {
  databaseBytesOf,
  copySnapshot,
  isFilled,
  openSnapshot,
  type DatabaseSync,
} from '../platform/storage/dialects/sqlite.ts';
import { VERSION } from '../platform/version.ts';
import { digestOfFile, MANIFEST, writeArchive, type Manifest } from './archive.ts';
import { BackupError } from './backup-error.ts';
import { DATA_FILES, findSchemaProblem, type DataFile } from './data-files.ts';
import { requireRoom, sync } from './disk-space.ts';
import { inspectFiles, nameDamage } from './inspect-files.ts';
import { withTemporaryFolder } from './temporary-folder.ts';
import { toIsoTime } from '../platform/iso-time.ts';

export type Report = (line: string) => void;

type Snapshot = { readonly file: DataFile; readonly db: DatabaseSync; readonly bytes: number };

const openOriginal = (dataDir: string, file: DataFile): DatabaseSync => {
  try {
    return openSnapshot(join(dataDir, file), { isReadOnly: probeReadOnly(dataDir) });
  } catch (error) {
    if (!isCannotOpen(error)) throw error;
    throw new BackupError(
      `${file} in DATA_DIR "${dataDir}" cannot be opened. Check that it is a file that this user can read and write.`,
    );
  }
};

const openDataFile = (dataDir: string, file: DataFile): Promise<Snapshot> =>
  nameDamage(file, () => {
    const db = openOriginal(dataDir, file);
    try {
      const problem = findSchemaProblem(file, db);
      if (problem !== undefined) throw new BackupError(problem);
      return { file, db, bytes: databaseBytesOf(db) };
    } catch (error) {
      db.close();
      throw error;
    }
  });

/** Runs work with snapshots of both databases, taken one right after the other. */
const withSnapshots = async <T>(
  dataDir: string,
  work: (snapshots: readonly Snapshot[]) => Promise<T>,
): Promise<T> => {
  const snapshots: Snapshot[] = [];
  try {
    for (const file of DATA_FILES) snapshots.push(await openDataFile(dataDir, file));
    return await work(snapshots);
  } finally {
    for (const { db } of snapshots) if (db.isOpen) db.close();
  }
};

/** Calls `report` for each tenth that is done. */
const reportTenths = (file: string, report: Report): ((done: number) => void) => {
  let reported = 0;
  return (done) => {
    const tenth = Math.floor(done * 10);
    if (tenth <= reported || tenth === 10) return;
    reported = tenth;
    report(`${file}: ${tenth * 10} %`);
  };
};

const copy = async (snapshots: readonly Snapshot[], folder: string, report: Report): Promise<void> => {
  for (const { file, db, bytes } of snapshots) {
    report(`Copying ${file} (${formatMebibytes(bytes)})`);
    await nameDamage(file, () => copySnapshot(db, join(folder, file), reportTenths(file, report)));
    // The service can empty its log again.
    db.close();
  }
};

const requireFiles = (dataDir: string): void => {
  const missing = DATA_FILES.find((file) => !isFilled(join(dataDir, file)));
  if (missing !== undefined)
    throw new BackupError(`There is no ${missing} in DATA_DIR "${dataDir}", so there is nothing to back up.`);
};

const taken = (archive: string): BackupError =>
  new BackupError(`${archive} already exists. Choose another name, or delete it.`);

/** Gives a file its name without replacing another. */
const publish = async (written: string, archive: string): Promise<void> => {
  try {
    await link(written, archive);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw taken(archive);
    // Some file systems have no hard links.
    await rename(written, archive);
  }
  await sync(dirname(archive));
};

/**
 * Writes both databases of a data directory, which may be in use, into one file: a tar archive.
 * @throws BackupError, or an error of the system
 */
export const createBackup = async ({
  dataDir,
  archive,
  now,
  report,
}: {
  dataDir: string;
  archive: string;
  now: () => number;
  report: Report;
}): Promise<Manifest> => {
  const parent = dirname(archive);
  requireFiles(dataDir);
  if (existsSync(archive)) throw taken(archive);
  if (!existsSync(parent)) throw new BackupError(`There is no folder ${parent}. Create it.`);
  return withTemporaryFolder(parent, '.penstock-backup-', async (folder) => {
    const takenAt = toIsoTime(now());
    await withSnapshots(dataDir, async (snapshots) => {
      // The copies, and the archive made from them.
      requireRoom(parent, 2 * snapshots.reduce((sum, { bytes }) => sum + bytes, 0));
      await copy(snapshots, folder, report);
    });
    report('Checking the copies');
    const counts = await inspectFiles(folder);
    const files = {
      'penstock.db': await digestOfFile(join(folder, 'penstock.db')),
      'telemetry.db': await digestOfFile(join(folder, 'telemetry.db')),
    };
    const manifest = { penstock: VERSION, takenAt, files, counts };
    await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    report('Writing and reading back the archive');
    const written = join(folder, 'archive.tar');
    await writeArchive(written, folder, manifest);
    await sync(written);
    await publish(written, archive);
    return manifest;
  });
};
