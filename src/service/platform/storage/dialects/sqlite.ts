import { statSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeNewerVersion } from './newer-version.ts';

export type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';

/** A result code of https://www.sqlite.org/rescode.html. */
const SQLITE_BUSY = 5;
const BUSY_TIMEOUT_MS = 5_000;
/** 8 MiB: the copy of a backup lets other work run between two steps. */
const PAGES_PER_COPY = 2_048;

/**
 * Opens or creates a database with a write-ahead log. A commit is on disk after the log was synced (`createWalSync`). Only
 * this file imports `node:sqlite`. The caller closes the database.
 */
export const openSqlite = (path: string): DatabaseSync => {
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  try {
    // auto_vacuum lets free pages return to the disk. It takes effect only in a new file.
    db.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

/** Whether a file exists and has content. SQLite reads an empty file as an empty database. */
export const isFilled = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * Opens a database that no process writes, on a full or read-only disk. A database that was closed properly has no
 * write-ahead log (`-wal`) and is opened as immutable. Otherwise SQLite reads the log too: in exclusive mode it keeps the
 * index of the log in memory instead of in a file (`-shm`), and without locks that mode needs no right to write
 * (https://www.sqlite.org/wal.html#noshm). Temporary tables are kept in memory.
 */
export const openSqliteReadOnly = (path: string): DatabaseSync => {
  const hasLog = isFilled(`${path}-wal`);
  const address = pathToFileURL(path);
  if (hasLog) address.searchParams.set('vfs', 'unix-none');
  else address.searchParams.set('immutable', '1');
  const db = new DatabaseSync(address, { readOnly: true });
  if (hasLog) db.exec('PRAGMA locking_mode = EXCLUSIVE');
  db.exec('PRAGMA temp_store = MEMORY');
  return db;
};

/** Writes the log into the database and empties it, unless another process, such as a backup, reads it. */
export const truncateLog = (db: DatabaseSync): void => {
  db.exec('PRAGMA busy_timeout = 0');
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
};

/** Returns up to `pages` free pages to the disk, and empties the log. */
export const shrinkSqlite = (db: DatabaseSync, pages: number): void => {
  db.exec(`PRAGMA incremental_vacuum(${pages})`);
  truncateLog(db);
};

/** A database as it is now, while other processes go on writing. They cannot empty its log until it is closed. */
export const openSnapshot = (path: string, { isReadOnly }: { isReadOnly: boolean }): DatabaseSync => {
  const address = pathToFileURL(path);
  address.searchParams.set('mode', 'rw');
  const db = isReadOnly ? openSqliteReadOnly(path) : new DatabaseSync(address, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.exec('BEGIN');
    // SQLite takes the snapshot with the first read.
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

/** Copies a snapshot, page by page, into a new file. `onProgress` gets the share that is done, from 0 to 1. */
export const copySnapshot = async (
  db: DatabaseSync,
  path: string,
  onProgress: (done: number) => void,
): Promise<void> => {
  await backup(db, path, {
    rate: PAGES_PER_COPY,
    progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / totalPages),
  });
};

/** The problems of a file's structure; none if it is intact. */
export const integrityProblems = (db: DatabaseSync): string[] =>
  db
    .prepare('PRAGMA integrity_check')
    .all()
    .map((row) => String(row['integrity_check']))
    .filter((line) => line !== 'ok');

/** The result code of SQLite; 0: none. */
export const errcodeOf = (error: Error): number =>
  'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;

/** Whether another process held the database for longer than this one waits. */
export const isLocked = (error: unknown): boolean =>
  error instanceof Error && (errcodeOf(error) & 0xff) === SQLITE_BUSY;

/** Locks a file until the returned function is called or the process ends; undefined if another process holds it. */
export const holdExclusively = (path: string): (() => void) | undefined => {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    // Without a journal file, the lock needs no room on the disk.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return () => db.close();
  } catch (error) {
    db.close();
    if (isLocked(error)) return undefined;
    throw error;
  }
};

/** Runs `work` in a transaction and rolls back if it throws. */
export const inTransaction = <T>(db: DatabaseSync, work: () => T): T => {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // On a full disk, SQLite rolls back itself. A second rollback would hide the cause.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
};

/** The number of steps that migrated a database. */
export const schemaVersionOf = (db: DatabaseSync): number =>
  Number(db.prepare('PRAGMA user_version').get()?.['user_version']);

/** Migrates a database from its schema (`user_version`) to the latest in one transaction: a kill leaves the schema it had. */
export const migrateSqlite = (db: DatabaseSync, steps: readonly string[]): void => {
  const version = schemaVersionOf(db);
  if (version > steps.length) {
    throw new Error(describeNewerVersion(basename(db.location() ?? 'The database'), String(version)));
  }
  if (version === steps.length) return;
  inTransaction(db, () => {
    for (const step of steps.slice(version)) db.exec(step);
    db.exec(`PRAGMA user_version = ${steps.length}`);
  });
};

/** The size of a database in bytes, without its log. */
export const databaseBytesOf = (db: DatabaseSync): number =>
  Number(
    db.prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size').get()?.[
      'bytes'
    ],
  );
