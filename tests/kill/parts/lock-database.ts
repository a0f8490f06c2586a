import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const WAIT_MS = 10_000;

/**
 * Keeps a service from committing anything, as a disk that stands still would. What it acknowledges meanwhile it
 * acknowledges before the commit.
 */
export const lockDatabase = (dataDir: string) => {
  const db = new DatabaseSync(join(dataDir, 'penstock.db'), { timeout: WAIT_MS });
  db.exec('begin immediate');
  return {
    unlock: () => db.exec('rollback'),
    /** Only after the service runs again: the last process to close a database cleans up after a kill. */
    close: () => db.close(),
  };
};
