import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDirectory } from '../platform/storage/lock-directory.ts';
import { extractArchive, readManifest, type Manifest } from './archive.ts';
import { requireRoom, sync, withFolder, type Report } from './backup.ts';
import { BackupError } from './backup-error.ts';
import { checkDataFile, DATA_FILES, type Counts } from './data-files.ts';

/** Must be free in addition to the databases, so that the service can start. */
const SPARE_BYTES = 64 * 1_048_576;

const requireEmpty = async (dataDir: string): Promise<void> => {
  const found = (await readdir(dataDir)).find((name) => DATA_FILES.some((file) => name.startsWith(file)));
  if (found !== undefined)
    throw new BackupError(
      `DATA_DIR "${dataDir}" contains ${found}. Move it away, or set DATA_DIR to another directory.`,
    );
};

/**
 * Restores a backup into a data directory without databases. They appear there only after they are checked.
 * @throws BackupError, DirectoryInUse
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
  if (!existsSync(archive)) throw new BackupError(`There is no file ${archive}.`);
  const manifest = await readManifest(archive);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const unlock = lockDirectory(dataDir);
  try {
    await requireEmpty(dataDir);
    const bytes = DATA_FILES.reduce((sum, file) => sum + manifest.files[file].bytes, 0);
    await requireRoom(dataDir, bytes + SPARE_BYTES);
    await withFolder(join(dataDir, 'restore'), async (folder) => {
      report('Extracting');
      await extractArchive(archive, folder, manifest);
      report('Checking the databases');
      const counts = Object.assign(
        {},
        ...DATA_FILES.map((file) => checkDataFile(file, join(folder, file))),
      ) as Counts;
      const wrong = Object.entries(counts).find(
        ([name, count]) => count !== manifest.counts[name as keyof Counts],
      );
      if (wrong !== undefined)
        throw new BackupError(
          `${archive} is damaged: it contains ${wrong[1]} ${wrong[0]} instead of ${manifest.counts[wrong[0] as keyof Counts]}.`,
        );
      // Without penstock.db, the service would start as new: it comes last.
      for (const file of DATA_FILES.toReversed()) {
        await sync(join(folder, file));
        await rename(join(folder, file), join(dataDir, file));
      }
      await sync(dataDir);
    });
    return manifest;
  } finally {
    unlock();
  }
};
