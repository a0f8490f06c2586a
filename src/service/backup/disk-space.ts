import { open } from 'node:fs/promises';
import { freeBytesOf } from '../platform/storage/read-only-state.ts';
import { BackupError } from './backup-error.ts';

const MIB = 1_048_576;
/** Left free for a service that runs during a backup, or starts after a restore. */
const SPARE_BYTES = 64 * MIB;

/** With one decimal below 10 MiB. */
export const inMebibytes = (bytes: number): string => {
  const maximumFractionDigits = bytes < 10 * MIB ? 1 : 0;
  return `${(bytes / MIB).toLocaleString('en', { maximumFractionDigits })} MiB`;
};

/** @throws BackupError if the disk of a folder has no room for `bytes` and some spare space */
export const requireRoom = (folder: string, bytes: number): void => {
  const [free, needed] = [freeBytesOf(folder), bytes + SPARE_BYTES];
  if (free < needed)
    throw new BackupError(
      `${folder} has ${inMebibytes(free)} free, ${inMebibytes(needed)} are needed. Free space, or choose another disk.`,
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
