import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const WAIT_MS = 10_000;

/**
 * Keeps a service from committing anything, like a disk that hangs. Anything that it acknowledges meanwhile is
 * acknowledged before its commit.
 */
export const lockDatabase = (dataDir: string) => {
  const db = new DatabaseSync(join(dataDir, 'penstock.db'), { timeout: WAIT_MS });
  db.exec('begin immediate');
  return {
    unlock: () => db.exec('rollback'),
    /** Call this only after the service has restarted: the last process to close a database recovers it after a kill. */
    close: () => db.close(),
  };
};
