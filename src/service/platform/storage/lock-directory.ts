import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDamage } from './damaged-file.ts';
import { UnusableDatabase } from './database.ts';
import { holdExclusively } from './dialects/sqlite.ts';

/** Another process has locked the data directory. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
}

const hold = (directory: string, path: string): (() => void) | undefined => {
  try {
    return holdExclusively(path);
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new UnusableDatabase(
      `lock.db in DATA_DIR "${directory}" is damaged (${error.message}). Delete lock.db, which holds no data, then start Penstock again.`,
      { cause: error, isFinal: true },
    );
  }
};

/**
 * Locks a data directory for this process; the operating system releases the lock when the process ends, however it
 * ends. Returns a function that releases it earlier. With `mayCreate` false, a directory without a lock file is not
 * locked. @throws DirectoryInUse; UnusableDatabase if the lock file is damaged
 */
export const lockDirectory = (directory: string, { mayCreate = true } = {}): (() => void) => {
  const path = join(directory, 'lock.db');
  if (!mayCreate && !existsSync(path)) return () => undefined;
  const release = hold(directory, path);
  if (release !== undefined) return release;
  throw new DirectoryInUse(
    `DATA_DIR "${directory}" is in use by another Penstock process. Stop that process, or set DATA_DIR to another directory.`,
  );
};
