import { join } from 'node:path';
import { holdExclusively } from './dialects/sqlite.ts';

/** Another process has locked the data directory. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
}

/**
 * Locks a data directory for this process; the operating system releases the lock when the process ends, however it
 * ends. Returns a function that releases it earlier. @throws DirectoryInUse
 */
export const lockDirectory = (directory: string): (() => void) => {
  const release = holdExclusively(join(directory, 'lock.db'));
  if (release !== undefined) return release;
  throw new DirectoryInUse(
    `DATA_DIR "${directory}" is in use by another Penstock process. Stop that process, or set DATA_DIR to another directory.`,
  );
};
