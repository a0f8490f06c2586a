import { lstatSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteReadOnly } from '../platform/storage/dialects/sqlite.ts';
import { lockDirectory } from '../platform/storage/lock-directory.ts';
import { databaseBytesIn, extractArchive, readManifest, type Manifest } from './archive.ts';
import type { Report } from './backup.ts';
import { BackupError } from './backup-error.ts';
import { DATA_FILES, describeCounts, findNewerSchema, type DataFile } from './data-files.ts';
import { requireRoom, sync } from './disk-space.ts';
import { inspectFiles, nameDamage } from './inspect-files.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

const requireNoDatabases = (dataDir: string): void => {
  const found = DATA_FILES.flatMap((file) => [file, `${file}-wal`, `${file}-shm`]).find(
    (name) => lstatSync(join(dataDir, name), { throwIfNoEntry: false }) !== undefined,
  );
  if (found !== undefined)
    throw new BackupError(
      `DATA_DIR "${dataDir}" contains ${found}. Move it away, or set DATA_DIR to another directory.`,
    );
};

const requireKnownSchema = (file: DataFile, folder: string, { penstock }: Manifest): Promise<void> =>
  nameDamage(file, () => {
    const db = openSqliteReadOnly(join(folder, file));
    try {
      if (findNewerSchema[file](db) === undefined) return;
      throw new BackupError(
        `The backup was written by Penstock ${penstock}, which is newer than this version. Restore it with that version or a newer one.`,
      );
    } finally {
      db.close();
    }
  });

/**
 * Gives the databases their names, penstock.db last: a service would start with it alone, without samples, but not with
 * telemetry.db alone.
 */
const publish = async (folder: string, dataDir: string): Promise<void> => {
  for (const file of DATA_FILES) await sync(join(folder, file));
  await rename(join(folder, 'telemetry.db'), join(dataDir, 'telemetry.db'));
  try {
    await sync(dataDir);
    await rename(join(folder, 'penstock.db'), join(dataDir, 'penstock.db'));
  } catch (error) {
    await rename(join(dataDir, 'telemetry.db'), join(folder, 'telemetry.db'));
    throw error;
  }
  await sync(dataDir);
};

/**
 * Restores a backup into a data directory without databases. They appear there only after they are checked.
 * @throws BackupError, DirectoryInUse, or an error of the system
 */
export const restoreBackup = async ({
  dataDir,
  archive,
  report,
}: {
  dataDir: string;
  archive: string;
  report: Report;
}): Promise<Manifest> => {
  const manifest = await readManifest(archive);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const unlock = lockDirectory(dataDir);
  try {
    requireNoDatabases(dataDir);
    requireRoom(dataDir, databaseBytesIn(manifest));
    await withTemporaryFolder(dataDir, '.penstock-restore-', async (folder) => {
      report('Extracting');
      await extractArchive(archive, folder, manifest);
      for (const file of DATA_FILES) await requireKnownSchema(file, folder, manifest);
      report('Checking the databases');
      const [found, expected] = [describeCounts(await inspectFiles(folder)), describeCounts(manifest.counts)];
      if (found !== expected)
        throw new BackupError(`${archive} is damaged: it contains ${found}; its manifest lists ${expected}.`);
      await publish(folder, dataDir);
    });
    return manifest;
  } finally {
    unlock();
  }
};
