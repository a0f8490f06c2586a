import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * The number of deliveries that were begun but not counted when the service was killed. Reads a copy, so that the service
 * itself recovers the files.
 */
export const deliveriesUnderWay = (dataDir: string): number => {
  const copy = mkdtempSync(join(tmpdir(), 'penstock-kill-copy-'));
  try {
    for (const name of ['penstock.db', 'penstock.db-wal'])
      if (existsSync(join(dataDir, name))) cpSync(join(dataDir, name), join(copy, name));
    const db = new DatabaseSync(join(copy, 'penstock.db'));
    const row = db.prepare('select count(distinct delivery_id) as count from spool_batch').get();
    db.close();
    return Number(row?.['count']);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
};
