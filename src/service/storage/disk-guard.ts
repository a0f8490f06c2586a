import { AsyncLocalStorage } from 'node:async_hooks';
import { statfsSync } from 'node:fs';
import type { Logger } from 'pino';
import type { StorageState } from '#contract/storage.ts';
import { DiskUnwritable, isDiskFull, isDiskReadOnly } from './disk-full.ts';
import { createDiskReserve } from './disk-reserve.ts';

const MIB = 1_048_576;

/** Bytes of free space. Below `full` ordinary writes end; they begin again at `resume`, beside a whole reserve. */
const ROOM = { full: 4 * MIB, resume: 8 * MIB, scarce: 128 * MIB } as const;
/** What a write with the reserve finds free, and in which steps the reserve is given up for it. */
const HEADROOM_BYTES = 4 * MIB;
const RELEASE_BYTES = 2 * MIB;
/** Left free for the system's own bookkeeping. */
const LEFT_FREE_BYTES = 65_536;
const LOOK_EVERY_MS = 1_000;

export type DiskGuard = {
  state(): StorageState;
  /** When that state began, epoch ms; undefined: the disk accepts writes. */
  sinceMs(): number | undefined;
  freeBytes(): number;
  reserveBytes(): number;
  /** True where little is left, though the disk is not full yet. */
  isScarce(): boolean;
  /** Passes where the disk accepts writes, and for work with the reserve. @throws DiskUnwritable */
  requireWritable(): void;
  /** Runs what frees space, takes access away or signs in: on a full disk it may use the reserve. */
  withReserve<T>(work: () => Promise<T>): Promise<T>;
  /** Runs what may not use the reserve, though what it belongs to may. */
  withoutReserve<T>(work: () => Promise<T>): Promise<T>;
  /** Looks at an error of a write: one of the disk begins the state. */
  noteError(error: unknown): void;
  /** Calls back after the state has changed. Returns what ends that. */
  watch(listener: (state: StorageState) => void): () => void;
  /** What gives free room back to the disk; called about once a second while the disk is full. */
  reclaimWith(reclaim: () => Promise<void>): void;
  close(): Promise<void>;
};

const formatMib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

const freeBytesOf = (directory: string): number => {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
};

/**
 * Watches the room on the disk of the data directory. On a full disk ordinary writes are refused before they are
 * tried, so that the reserve serves only what frees space, takes access away or signs in.
 * `isReadOnly`: the service was started on a disk that it cannot write to, and stays as it is.
 */
export const createDiskGuard = ({
  directory,
  reserveBytes,
  isReadOnly,
  log,
  now,
}: {
  directory: string;
  reserveBytes: number;
  isReadOnly: boolean;
  log: Logger;
  now: () => number;
}): DiskGuard => {
  const reserve = createDiskReserve(directory, reserveBytes);
  const mayUseReserve = new AsyncLocalStorage<boolean>();
  const listeners = new Set<(state: StorageState) => void>();
  const reclaims: (() => Promise<void>)[] = [];
  let state: StorageState = 'writable';
  let sinceMs: number | undefined;
  /** Works with the reserve under way. */
  let working = 0;

  const freeBytes = (): number => freeBytesOf(directory);

  const turn = (next: StorageState, line: string): void => {
    if (state === next) return;
    state = next;
    sinceMs = next === 'writable' ? undefined : now();
    log[next === 'writable' ? 'info' : 'error']({ freeBytes: freeBytes(), dataDir: directory }, line);
    for (const listener of listeners) listener(next);
  };

  const becomeFull = (): void => {
    if (state !== 'writable') return;
    turn(
      'full',
      `The disk of DATA_DIR is full (${formatMib(freeBytes())} free): writes are refused. Signing in, revoking and deleting still work. Free some space`,
    );
  };
  const becomeReadOnly = (): void => {
    turn(
      'read-only',
      'The disk of DATA_DIR is read-only: nothing is written. Reading still works. Make the disk writable again',
    );
  };
  const becomeWritable = (): void =>
    turn('writable', `The disk of DATA_DIR accepts writes again (${formatMib(freeBytes())} free)`);

  /** Makes room for a write, from the reserve where the disk has none. */
  const makeHeadroom = (): void => {
    if (state !== 'full') return;
    while (freeBytes() < HEADROOM_BYTES && reserve.heldBytes() > 0) reserve.release(RELEASE_BYTES);
  };

  const noteError = (error: unknown): void => {
    if (error instanceof DiskUnwritable) return;
    if (isDiskReadOnly(error)) becomeReadOnly();
    if (!isDiskFull(error)) return;
    becomeFull();
    // A quota ends before the free space does.
    if (mayUseReserve.getStore() === true) reserve.release(RELEASE_BYTES);
  };

  /** Ends the state once the disk has room for the reserve and more: tried out, since a quota cannot be asked for. */
  const tryToResume = async (): Promise<void> => {
    if (state === 'full' && freeBytes() < reserve.missingBytes() + ROOM.resume) return;
    try {
      await reserve.probe(reserve.missingBytes() + (state === 'full' ? ROOM.full : 1));
      await reserve.fill();
    } catch (error) {
      noteError(error);
      return;
    }
    becomeWritable();
  };

  const reclaim = (): Promise<void> =>
    mayUseReserve.run(true, async () => {
      for (const each of reclaims) await each().catch(noteError);
    });

  /** Fills the reserve with what the last work left of it, before other programs take the room. */
  const takeBack = async (): Promise<void> => {
    if (working === 0) await reserve.fill(Math.max(0, freeBytes() - LEFT_FREE_BYTES));
  };

  const look = async (): Promise<void> => {
    if (state === 'writable' && freeBytes() < ROOM.full) becomeFull();
    if (state === 'full') await reclaim();
    if (state !== 'writable') await tryToResume();
    if (state === 'full') await takeBack();
    else if (state === 'writable' && freeBytes() > reserve.missingBytes() + ROOM.resume) await reserve.fill();
  };

  let looking: Promise<void> | undefined;
  const lookOnce = (): Promise<void> =>
    (looking ??= look()
      .catch(noteError)
      .finally(() => {
        looking = undefined;
      }));

  if (isReadOnly) becomeReadOnly();
  else if (freeBytes() < ROOM.full) {
    becomeFull();
    makeHeadroom();
  }
  // Who started it on a read-only disk starts it anew once the disk is writable.
  const timer = isReadOnly ? undefined : setInterval(() => void lookOnce(), LOOK_EVERY_MS);
  timer?.unref();
  if (!isReadOnly) void lookOnce();

  return {
    state: () => state,
    sinceMs: () => sinceMs,
    freeBytes,
    reserveBytes: reserve.heldBytes,
    isScarce: () => freeBytes() < ROOM.scarce,
    requireWritable: () => {
      if (state !== 'writable' && mayUseReserve.getStore() !== true) throw new DiskUnwritable(state);
    },
    withReserve: async (work) => {
      working += 1;
      try {
        makeHeadroom();
        return await mayUseReserve.run(true, work);
      } finally {
        working -= 1;
      }
    },
    withoutReserve: (work) => mayUseReserve.run(false, work),
    noteError,
    watch: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    reclaimWith: (each) => void reclaims.push(each),
    close: async () => {
      clearInterval(timer);
      await looking;
      if (state === 'full') await takeBack().catch(noteError);
    },
  };
};
