import { open } from 'node:fs/promises';
import { formatMebibytes } from '../platform/storage/format-mebibytes.ts';
import { freeBytesOf } from '../platform/storage/read-only-state.ts';
import { BackupError } from './backup-error.ts';

/** Left free for a service that runs during a backup, or starts after a restore. */
const SPARE_BYTES = 64 * 1_048_576;

/** @throws BackupError if the disk of a folder has no room for `bytes` and some spare space */
export const requireRoom = (folder: string, bytes: number): void => {
  const [free, needed] = [freeBytesOf(folder), bytes + SPARE_BYTES];
  if (free < needed)
    throw new BackupError(
      `${folder} has ${formatMebibytes(free)} free, but this needs ${formatMebibytes(needed)}. Free some space, or choose another disk.`,
    );
};

/** Syncs a file or folder to the disk. */
export const sync = async (path: string): Promise<void> => {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
