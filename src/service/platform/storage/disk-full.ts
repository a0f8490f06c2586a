import { accessSync, constants, mkdtempSync, rmdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { errcodeOf } from './dialects/sqlite.ts';
import { SyncFailed } from './dialects/wal-sync.ts';

/** Result codes of https://www.sqlite.org/rescode.html. SHMSIZE: no room for the index of the WAL. */
const SQLITE_READONLY = 8;
const SQLITE_FULL = 13;
const SQLITE_IOERR_SHMSIZE = 4_874;
/** IOERR_WRITE and IOERR_TRUNCATE: what SQLite reports after the system remounts a disk read-only. */
const SQLITE_IOERR_ON_WRITE = [778, 1_546];
/** IOERR_FSYNC and IOERR_DIR_FSYNC. */
const SQLITE_IOERR_ON_SYNC = [1_034, 1_290];
/** The codes of the system and of PostgreSQL (`disk_full` in its appendix A). */
const CODES = ['ENOSPC', 'EDQUOT', '53100'];

/** Whether the disk or the quota of the database was full. */
export const isDiskFull = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if ('code' in error && CODES.includes(String(error.code))) return true;
  const errcode = errcodeOf(error);
  return (errcode & 0xff) === SQLITE_FULL || errcode === SQLITE_IOERR_SHMSIZE;
};

/** Whether the disk was read-only. */
export const isDiskReadOnly = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if ('code' in error && error.code === 'EROFS') return true;
  const errcode = errcodeOf(error);
  return (errcode & 0xff) === SQLITE_READONLY || SQLITE_IOERR_ON_WRITE.includes(errcode);
};

/**
 * Whether the disk failed to save what was written (fsync). Linux then discards what it could not write, and the next
 * sync succeeds without it: https://wiki.postgresql.org/wiki/Fsync_Errors
 */
export const isSyncFailure = (error: unknown): boolean =>
  error instanceof SyncFailed || (error instanceof Error && SQLITE_IOERR_ON_SYNC.includes(errcodeOf(error)));

/** Whether a write failed because the disk was full or read-only. */
export const isUnwritable = (error: unknown): error is Error => isDiskFull(error) || isDiskReadOnly(error);

/** For a write that can be skipped: resolves to undefined if the disk is full or read-only. */
export const ignoreUnwritable = async <T>(write: Promise<T>): Promise<T | undefined> => {
  try {
    return await write;
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return undefined;
  }
};

const changeDirectory = (directory: string): void => {
  const now = new Date();
  try {
    utimesSync(directory, now, now);
  } catch (error) {
    // Only its owner may set the times of a directory.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    rmdirSync(mkdtempSync(join(directory, 'write-probe-')));
  }
};

/**
 * Changes a directory to find out whether its file system is mounted read-only, or rejects all changes after an error.
 * Sets the times of the directory, or creates and removes an empty directory in it.
 */
export const probeReadOnly = (directory: string): boolean => {
  try {
    accessSync(directory, constants.W_OK);
    // After an error, ext4 may still be mounted as writable.
    changeDirectory(directory);
    return false;
  } catch (error) {
    return isDiskReadOnly(error);
  }
};

/** A write was refused because the disk is known to be full or read-only. */
export class DiskUnwritable extends Error {
  override readonly name: string = 'DiskUnwritable';
  readonly code: 'ENOSPC' | 'EROFS';

  constructor(state: 'full' | 'read-only') {
    super(state === 'full' ? 'The disk is full.' : 'The disk is read-only.');
    this.code = state === 'full' ? 'ENOSPC' : 'EROFS';
  }
}

/** The disk was full at the start, so that the service only reads: it cannot delete either. */
export class DiskTooFullToDelete extends DiskUnwritable {
  override readonly name = 'DiskTooFullToDelete';

  constructor() {
    super('full');
  }
}
