import { statfsSync } from 'node:fs';
import { createDiskReserve } from './disk-reserve.ts';
import { probeReadOnly, isUnwritable } from './disk-full.ts';

const MIB = 1_048_576;

/** Free space and reserve that a start needs to sign in and to delete. */
const START_BYTES = MIB;
/** Free space at which a service that only reads because the disk was full restarts. */
export const RESTART_BYTES = 4 * MIB;

/** Why a service can only read the data directory. */
export type ReadOnlyState = 'full' | 'read-only';

export const freeBytesOf = (directory: string): number => {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
};

/** Why a service that starts now could only read; undefined: it can write, or at least delete. */
export const findReadOnlyState = (directory: string): ReadOnlyState | undefined => {
  if (probeReadOnly(directory)) return 'read-only';
  const room = freeBytesOf(directory) + createDiskReserve(directory, 0).heldBytes();
  return room < START_BYTES ? 'full' : undefined;
};

/**
 * Whether the reason why a service only reads is gone. Writes a file to find out whether a full disk has room: quotas cannot
 * be queried.
 */
export const isReadOnlyStateOver = async (directory: string, state: ReadOnlyState): Promise<boolean> => {
  if (probeReadOnly(directory)) return false;
  if (state === 'read-only') return true;
  if (freeBytesOf(directory) < RESTART_BYTES) return false;
  try {
    await createDiskReserve(directory, 0).probe(RESTART_BYTES);
    return true;
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return false;
  }
};
