import { errcodeOf } from './disk-full.ts';

/** True if SQLite reports a file that is not a database, truncated or overwritten. */
export const isDamage = (error: unknown): error is Error =>
  error instanceof Error && /file is not a database|malformed/i.test(error.message);

/** https://www.sqlite.org/rescode.html#cantopen */
const SQLITE_CANTOPEN = 14;

/** True if SQLite could not open or create a file, such as a directory or a file without permission. */
export const isCannotOpen = (error: unknown): error is Error =>
  error instanceof Error && (errcodeOf(error) & 0xff) === SQLITE_CANTOPEN;

/** Why the service cannot start with the metadata database, and what to do. */
export const describeDamagedDatabase = (dataDir: string, { message }: Error): string =>
  `penstock.db in DATA_DIR "${dataDir}" is damaged (${message}). Restore the file from a backup, then start Penstock again.`;
