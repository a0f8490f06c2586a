/** Deleted devices can be restored for this long. */
export const RESTORE_MS = 86_400_000;
