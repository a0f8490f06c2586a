const SENTENCE = 'was written by a newer version of Penstock';

/** Why this version of Penstock cannot use a database, and what to do. */
export const describeNewerVersion = (
  database: string,
  schema: string,
  otherPlace = 'DATA_DIR to another directory',
): string =>
  `${database} ${SENTENCE} (schema ${schema}). Install that version or a newer one, or set ${otherPlace}.`;

/** Whether an error, which may come from a worker thread, is that of `describeNewerVersion`. */
export const isNewerVersion = (error: unknown): error is Error =>
  error instanceof Error && error.message.includes(SENTENCE);
