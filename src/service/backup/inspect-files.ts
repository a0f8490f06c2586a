import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { siblingProgram } from '../platform/sibling-program.ts';
import { isDamage } from '../platform/storage/damaged-file.ts';
import { BackupError } from './backup-error.ts';
import { DATA_FILES, type Counts, type DataFile, type inspect } from './data-files.ts';

/** Runs work on a database, and names the file if it is damaged. @throws BackupError */
export const nameDamage = async <T>(file: DataFile, work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw isDamage(error) ? new BackupError(`${file} is damaged (${error.message}).`) : error;
  }
};

/** In a thread, so that signals can end the program meanwhile. */
const inspectFile = (file: DataFile, path: string): Promise<Partial<Counts>> =>
  nameDamage(file, async () => {
    const worker = new Worker(siblingProgram(import.meta.filename, 'inspection-thread'), {
      workerData: { file, path },
    });
    const [result] = (await once(worker, 'message')) as [ReturnType<typeof inspect>];
    if ('problem' in result) throw new BackupError(`${file} is damaged (${result.problem}).`);
    return result.counts;
  });

/** Checks the structure of the databases in a folder and counts their rows. @throws BackupError */
export const inspectFiles = async (folder: string): Promise<Counts> => {
  const counts: Partial<Counts> = {};
  for (const file of DATA_FILES) Object.assign(counts, await inspectFile(file, join(folder, file)));
  return counts as Counts;
};
