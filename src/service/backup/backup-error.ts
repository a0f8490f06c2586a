/** Why a backup, a restore or a check of one ended, in a line that says what to do. Nothing is left half done. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** Errors of the system, such as a missing permission, name the call and the file. */
export const isSystemError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error;
