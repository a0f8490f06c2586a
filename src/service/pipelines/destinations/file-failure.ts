import { DeliveryFailure } from './destination.ts';

type Meaning = readonly [kind: DeliveryFailure['kind'], words: string];

const forbidden: Meaning = ['refused', 'is not writable by the user of the service'];
const full: Meaning = ['unavailable', 'cannot be written: the disk is full'];
const misplaced: Meaning = ['refused', 'is not a folder. Remove the file with that name'];

/** By the error code of the operating system. */
const meanings: Record<string, Meaning> = {
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: ['refused', 'is on a read-only disk'],
  ENOSPC: full,
  EDQUOT: full,
  EIO: ['unavailable', 'is on a failing disk'],
  ENOTDIR: misplaced,
  ELOOP: misplaced,
};

/** The DeliveryFailure for a file error. */
export const fileFailure = (error: unknown, folder: string, signal: AbortSignal): DeliveryFailure => {
  if (error instanceof DeliveryFailure) return error;
  const place = `exports/${folder}`;
  if (signal.aborted)
    return new DeliveryFailure('unavailable', `Writing to ${place} timed out.`, { cause: error });
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const [kind, words] = meanings[code] ?? ['unavailable', 'could not be written'];
  return new DeliveryFailure(kind, `${place} ${words}${code === '' ? '' : ` (${code})`}.`, { cause: error });
};
