import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from 'pino';
import type { StorageState } from '#contract/storage.ts';
import {
  DiskTooFullToDelete,
  DiskUnwritable,
  isDiskFull,
  isDiskReadOnly,
  isSyncFailure,
} from './disk-full.ts';
import { formatMebibytes } from './format-mebibytes.ts';
import { createDiskReserve } from './disk-reserve.ts';
import { freeBytesOf, RESTART_BYTES, type ReadOnlyState } from './read-only-state.ts';

const MIB = 1_048_576;

/** Free space in bytes. Below `full`, ordinary writes stop. They resume at `resume` plus a full reserve. */
const FREE_BYTES = { full: 4 * MIB, resume: 8 * MIB, scarce: 128 * MIB } as const;
/** Free space for a write with the reserve, and the steps in which the reserve is released for it. */
const HEADROOM_BYTES = 4 * MIB;
const RELEASE_BYTES = 2 * MIB;
/** Left free for the file system. */
const LEFT_FREE_BYTES = 65_536;
const CHECK_EVERY_MS = 1_000;

export type DiskGuard = {
  state(): StorageState;
  /** When this state began, in epoch ms; undefined: the disk accepts writes. */
  sinceMs(): number | undefined;
  /** What the disk accepts and what to do; undefined: the disk accepts writes. */
  detail(): string | undefined;
  /** The error of every write if the service was started to only read; undefined: it was started to write too. */
  readOnlyError(): DiskUnwritable | undefined;
  freeBytes(): number;
  reserveBytes(): number;
  /** True if disk space is low, even if the disk is not full yet. */
  isScarce(): boolean;
  /** Allows writes if the disk accepts them, and work that may use the reserve. @throws DiskUnwritable */
  requireWritable(): void;
  /** Runs work that frees space, revokes access or signs in. On a full disk it may use the reserve. */
  withReserve<T>(work: () => Promise<T>): Promise<T>;
  /** Runs a part of such work that may not use the reserve. */
  withoutReserve<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Reports the error of a write. An error of the disk changes the state. Returns the error to throw, which is
   * `readOnlyError` if the service only reads.
   */
  reportError(error: unknown): unknown;
  /** Calls the listener after each change of the state. Returns a function that removes the listener. */
  watch(listener: (state: StorageState) => void): () => void;
  /** Adds a function that returns free pages to the disk. It runs about once a second while the disk is full. */
  reclaimWith(reclaim: () => Promise<void>): void;
  close(): Promise<void>;
};

/**
 * Watches the free space on the disk of the data directory. On a full disk, ordinary writes are rejected before they
 * are attempted, so that only work that frees space, revokes access or signs in uses the reserve. With `readOnlyState`, the
 * service was started to only read: the state does not change, and main.ts restarts the service.
 */
export const createDiskGuard = ({
  directory,
  reserveBytes,
  readOnlyState,
  log,
  now,
  onSyncFailure,
}: {
  directory: string;
  reserveBytes: number;
  readOnlyState: ReadOnlyState | undefined;
  log: Logger;
  now: () => number;
  /** Ends the process: a sync failed, so nobody knows what is on the disk. */
  onSyncFailure: (error: unknown) => void;
}): DiskGuard => {
  const reserve = createDiskReserve(directory, reserveBytes);
  const mayUseReserve = new AsyncLocalStorage<boolean>();
  const listeners = new Set<(state: StorageState) => void>();
  const reclaims: (() => Promise<void>)[] = [];
  let state: StorageState = 'writable';
  let sinceMs: number | undefined;
  let detail: string | undefined;
  /** Number of running functions that may use the reserve. */
  let reserveUsers = 0;

  const freeBytes = (): number => freeBytesOf(directory);

  const setState = (next: StorageState, line: string): void => {
    if (state === next) return;
    state = next;
    sinceMs = next === 'writable' ? undefined : now();
    detail = next === 'writable' ? undefined : `${line}.`;
    log[next === 'writable' ? 'info' : 'error']({ freeBytes: freeBytes(), dataDir: directory }, line);
    for (const listener of listeners) listener(next);
  };

  const becomeFull = (): void => {
    if (state !== 'writable') return;
    setState(
      'full',
      `The disk of DATA_DIR is full (${formatMebibytes(freeBytes())} free), so writes are rejected. Signing in, revoking access and deleting data still work. Free some space`,
    );
  };
  const becomeFullAndReadOnly = (): void => {
    setState(
      'full',
      `The disk of DATA_DIR is full (${formatMebibytes(freeBytes())} free), so writes are rejected. Nothing can be deleted in Penstock either. Remove other files from the disk or enlarge it: Penstock restarts once ${formatMebibytes(RESTART_BYTES)} are free`,
    );
  };
  const becomeReadOnly = (): void => {
    setState(
      'read-only',
      'The disk of DATA_DIR is read-only, so writes are rejected. Reading still works. Make the disk writable',
    );
  };
  const becomeWritable = (): void =>
    setState('writable', `The disk of DATA_DIR accepts writes again (${formatMebibytes(freeBytes())} free)`);

  /** Releases the reserve until the disk has space for a write. */
  const makeHeadroom = (): void => {
    if (state !== 'full' || readOnlyState !== undefined) return;
    while (freeBytes() < HEADROOM_BYTES && reserve.heldBytes() > 0) reserve.release(RELEASE_BYTES);
  };

  const readOnlyError = (): DiskUnwritable | undefined =>
    readOnlyState === 'full' ? new DiskTooFullToDelete() : readOnlyState && new DiskUnwritable(readOnlyState);

  const updateState = (error: unknown): void => {
    if (isDiskReadOnly(error)) becomeReadOnly();
    if (!isDiskFull(error)) return;
    becomeFull();
    // A quota can be exhausted while the disk has free space.
    if (mayUseReserve.getStore() === true) reserve.release(RELEASE_BYTES);
  };

  const reportError = (error: unknown): unknown => {
    if (error instanceof DiskUnwritable) return error;
    if (isSyncFailure(error)) onSyncFailure(error);
    if (readOnlyState !== undefined) return isDiskReadOnly(error) ? readOnlyError() : error;
    updateState(error);
    return error;
  };

  /**
   * Resumes writes once the disk has space for the reserve and more. Tests this with a file, since quotas cannot be
   * queried.
   */
  const tryToResume = async (): Promise<void> => {
    if (state === 'full' && freeBytes() < reserve.missingBytes() + FREE_BYTES.resume) return;
    try {
      await reserve.probe(reserve.missingBytes() + (state === 'full' ? FREE_BYTES.full : 1));
      await reserve.fill();
    } catch (error) {
      reportError(error);
      return;
    }
    becomeWritable();
  };

  const reclaim = (): Promise<void> =>
    mayUseReserve.run(true, async () => {
      for (const each of reclaims) await each().catch(reportError);
    });

  /** Refills the reserve with the remaining free space, before other programs use it. */
  const refillReserve = async (): Promise<void> => {
    if (reserveUsers === 0) await reserve.fill(Math.max(0, freeBytes() - LEFT_FREE_BYTES));
  };

  const check = async (): Promise<void> => {
    if (state === 'writable' && freeBytes() < FREE_BYTES.full) becomeFull();
    if (state === 'full') await reclaim();
    if (state !== 'writable') await tryToResume();
    if (state === 'full') await refillReserve();
    else if (state === 'writable' && freeBytes() > reserve.missingBytes() + FREE_BYTES.resume)
      await reserve.fill();
  };

  let checking: Promise<void> | undefined;
  const checkOnce = (): Promise<void> =>
    (checking ??= check()
      .catch((error: unknown) => void reportError(error))
      .finally(() => {
        checking = undefined;
      }));

  if (readOnlyState === 'read-only') becomeReadOnly();
  else if (readOnlyState === 'full') becomeFullAndReadOnly();
  else if (freeBytes() < FREE_BYTES.full) {
    becomeFull();
    makeHeadroom();
  }
  const timer = readOnlyState === undefined ? setInterval(() => void checkOnce(), CHECK_EVERY_MS) : undefined;
  timer?.unref();
  if (readOnlyState === undefined) void checkOnce();

  return {
    state: () => state,
    sinceMs: () => sinceMs,
    detail: () => detail,
    readOnlyError,
    freeBytes,
    reserveBytes: reserve.heldBytes,
    isScarce: () => freeBytes() < FREE_BYTES.scarce,
    requireWritable: () => {
      if (state !== 'writable' && mayUseReserve.getStore() !== true)
        throw readOnlyError() ?? new DiskUnwritable(state);
    },
    withReserve: async (work) => {
      reserveUsers += 1;
      try {
        makeHeadroom();
        return await mayUseReserve.run(true, work);
      } finally {
        reserveUsers -= 1;
      }
    },
    withoutReserve: (work) => mayUseReserve.run(false, work),
    reportError,
    watch: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    reclaimWith: (each) => void reclaims.push(each),
    close: async () => {
      clearInterval(timer);
      await checking;
      if (state === 'full' && readOnlyState === undefined) await refillReserve().catch(reportError);
    },
  };
};
