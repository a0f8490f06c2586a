/** Why a backup or a restore ended, in a line that says what to do. Nothing is left half done. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
