import { errcodeOf } from './dialects/sqlite.ts';
import { isUnwritable } from './disk-full.ts';

/** Result codes of https://www.sqlite.org/rescode.html. */
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

/** A part of a file cannot be decoded. Has the result code of SQLite, which is all that another thread receives. */
export class DamagedData extends Error {
  override readonly name = 'DamagedData';
  readonly errcode = SQLITE_CORRUPT;
}

/** True if a file is not a database, truncated or overwritten. */
export const isDamage = (error: unknown): error is Error =>
  error instanceof Error && [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcodeOf(error) & 0xff);

/** True if a file is damaged, or the disk returned an error while it was read. */
export const isUnreadable = (error: unknown): error is Error =>
  isDamage(error) ||
  (error instanceof Error && (errcodeOf(error) & 0xff) === SQLITE_IOERR && !isUnwritable(error));

/** True if SQLite could not open or create a file, such as a directory or a file without permission. */
export const isCannotOpen = (error: unknown): error is Error =>
  error instanceof Error && (errcodeOf(error) & 0xff) === SQLITE_CANTOPEN;
