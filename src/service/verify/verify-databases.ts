import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { databaseBytesIn, extractArchive, readManifest, type Manifest } from '../backup/archive.ts';
import { BackupError } from '../backup/backup-error.ts';
import { DATA_FILES, type DataFile } from '../backup/data-files.ts';
import { requireRoom } from '../backup/disk-space.ts';
import { withTemporaryFolder } from '../backup/temporary-folder.ts';
import { siblingProgram } from '../platform/sibling-program.ts';
import { isCannotOpen } from '../platform/storage/damaged-file.ts';
import type { CheckResult } from '../platform/storage/database-check.ts';
import { probeReadOnly } from '../platform/storage/disk-full.ts';
import { isFilled } from '../platform/storage/dialects/sqlite.ts';
import type { VerificationMessage, VerifiedFile } from './verify-database.ts';

/** Receives the progress and result of each check. */
export type VerificationReport = {
  onProgress(file: DataFile, check: string, done: number): void;
  onResult(file: DataFile, result: CheckResult): void;
};

/** In a thread, so that signals can end the program meanwhile. @throws BackupError if the file cannot be checked */
const verifyFile = async (data: VerifiedFile, report: VerificationReport): Promise<void> => {
  const worker = new Worker(siblingProgram(import.meta.filename, 'verification-thread'), {
    workerData: data,
  });
  let rejected: string | undefined;
  worker.on('message', (message: VerificationMessage) => {
    if ('result' in message) report.onResult(data.file, message.result);
    else if ('running' in message) report.onProgress(data.file, message.running, message.done);
    else rejected = message.rejected;
  });
  try {
    await once(worker, 'exit');
  } catch (error) {
    if (!isCannotOpen(error)) throw error;
    rejected = `${data.path} cannot be opened. Check that it is a file that this user can read and write.`;
  }
  if (rejected !== undefined) throw new BackupError(rejected);
};

/** Checks databases of a data directory, which may be in use. @throws BackupError if a file cannot be checked */
export const verifyDataDir = async (
  dataDir: string,
  files: readonly DataFile[],
  report: VerificationReport,
): Promise<void> => {
  const missing = files.find((file) => !isFilled(join(dataDir, file)));
  if (missing !== undefined) throw new BackupError(`There is no ${missing} in DATA_DIR "${dataDir}".`);
  const isReadOnly = probeReadOnly(dataDir);
  for (const file of files) await verifyFile({ file, path: join(dataDir, file), isReadOnly }, report);
};

/** Extracts a backup beside it and checks its databases. @throws BackupError if the backup is incomplete */
export const verifyBackup = async (archive: string, report: VerificationReport): Promise<Manifest> => {
  const manifest = await readManifest(archive);
  const parent = dirname(archive);
  requireRoom(parent, databaseBytesIn(manifest));
  await withTemporaryFolder(parent, '.penstock-verify-', async (folder) => {
    await extractArchive(archive, folder, manifest);
    await verifyDataDir(folder, DATA_FILES, report);
  });
  return manifest;
};
