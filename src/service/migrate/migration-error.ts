/** Why a migration ended, in a line that says what to do. The source is as it was, and the same command continues. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}
