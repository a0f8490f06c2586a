/** True if SQLite reports a file that is not a database, truncated or overwritten. */
export const isDamage = (error: unknown): error is Error =>
  error instanceof Error && /file is not a database|malformed/i.test(error.message);

/** Why the service cannot start with the metadata database, and what to do. */
export const describeDamagedDatabase = (dataDir: string, { message }: Error): string =>
  `penstock.db in DATA_DIR "${dataDir}" is damaged (${message}). Restore the file from a backup, then start Penstock again.`;
