/**
 * Why a migration ended, in a line that says what to do. The source is unchanged, and the same command continues the
 * migration.
 */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}
