import { DeliveryFailure } from './destination.ts';

type Meaning = readonly [kind: DeliveryFailure['kind'], words: string];

const forbidden: Meaning = ['refused', 'may not be written by the user of the service'];
const full: Meaning = ['unavailable', 'cannot grow: the disk is full'];
const misplaced: Meaning = ['refused', 'is no folder: something else is in its place'];

/** By the code of the operating system. */
const meanings: Record<string, Meaning> = {
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: ['refused', 'is on a disk that is only read'],
  ENOSPC: full,
  EDQUOT: full,
  EIO: ['unavailable', 'is on a disk that fails'],
  ENOTDIR: misplaced,
  ELOOP: misplaced,
};

/** Why files could not be written, in words. */
export const fileFailure = (error: unknown, folder: string, signal: AbortSignal): DeliveryFailure => {
  if (error instanceof DeliveryFailure) return error;
  const place = `exports/${folder}`;
  if (signal.aborted)
    return new DeliveryFailure('unavailable', `${place} was not written in time.`, { cause: error });
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const [kind, words] = meanings[code] ?? ['unavailable', 'could not be written'];
  return new DeliveryFailure(kind, `${place} ${words}${code === '' ? '' : ` (${code})`}.`, { cause: error });
};
