import { open, type FileHandle } from 'node:fs/promises';

/** The disk failed to save a write-ahead log. */
export class SyncFailed extends Error {
  override readonly name = 'SyncFailed';
}

/** Saves the write-ahead log of a database to the disk. */
export type WalSync = {
  /** Resolves after everything written so far is on the disk. @throws SyncFailed, from then on always */
  sync(): Promise<void>;
  /** Resolves after the syncs asked for so far. Later ones are rejected. @throws SyncFailed if a sync failed */
  close(): Promise<void>;
};

/**
 * Syncs a write-ahead log outside the thread that writes it. Commits that wait for the same sync share it: a sync that began
 * before a commit may miss it, so the commit waits for the next one.
 */
export const createWalSync = (
  path: string,
  onFailure: (error: SyncFailed) => void = () => undefined,
): WalSync => {
  let file: FileHandle | undefined;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let failure: SyncFailed | undefined;
  let isClosed = false;

  const syncFile = async (): Promise<void> => {
    try {
      // SQLite creates the log with the first transaction, and keeps the file while the database is open.
      file ??= await open(path, 'r+');
      await file.datasync();
    } catch (error) {
      failure = new SyncFailed(`${path} could not be saved to the disk.`, { cause: error });
      onFailure(failure);
      throw failure;
    }
  };

  const syncNext = async (): Promise<void> => {
    await running.catch(() => undefined);
    running = next!;
    next = undefined;
    if (failure !== undefined) throw failure;
    await syncFile();
  };

  return {
    sync: () => (isClosed ? Promise.reject(new Error(`${path} is closed.`)) : (next ??= syncNext())),
    close: async () => {
      isClosed = true;
      await Promise.allSettled([running, next]);
      await file?.close();
      if (failure !== undefined) throw failure;
    },
  };
};
