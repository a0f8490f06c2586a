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
    /** Only once the service is up again: the last one to close a database tidies up what a kill has left. */
    close: () => db.close(),
  };
};
