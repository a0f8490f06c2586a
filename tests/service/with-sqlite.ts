import { openSqlite, type DatabaseSync } from '#service/platform/storage/dialects/sqlite.ts';

/** Opens a database for `work`, and closes it afterwards. */
export const withSqlite = <T>(path: string, work: (db: DatabaseSync) => T): T => {
  const db = openSqlite(path);
  try {
    return work(db);
  } finally {
    db.close();
  }
};
