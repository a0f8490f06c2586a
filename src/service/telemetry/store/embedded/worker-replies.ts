import type { MessagePort } from 'node:worker_threads';
import { errcodeOf } from '../../../platform/storage/dialects/sqlite.ts';
import { isDiskFull } from '../../../platform/storage/disk-full.ts';
import type { DatabaseSync } from '../../../platform/storage/dialects/sqlite.ts';
import { SyncFailed, type WalSync } from '../../../platform/storage/dialects/wal-sync.ts';
import { QueryTooLarge } from '../../../platform/storage/store-errors.ts';
import { toError } from '../../../platform/to-error.ts';
import type { Failure, Reply } from './telemetry-protocol.ts';

/** The buffers of an output move to the other thread instead of being copied. */
const buffersOf = (output: unknown): ArrayBuffer[] => {
  if (typeof output !== 'object' || output === null) return [];
  if (ArrayBuffer.isView(output)) return output.buffer instanceof ArrayBuffer ? [output.buffer] : [];
  return Object.values(output).flatMap((part: unknown) => buffersOf(part));
};

export const failureOf = (thrown: unknown): Failure => {
  const error = toError(thrown);
  return {
    message: error.message,
    stack: error.stack ?? '',
    isDiskFull: isDiskFull(error),
    isSyncFailed: error instanceof SyncFailed,
    isTooLarge: error instanceof QueryTooLarge,
    errcode: errcodeOf(error),
  };
};

/** Answers requests of the main thread. `walSync` saves the log of `db`; undefined: `db` is only read. */
export const createReplies = (port: MessagePort, db: DatabaseSync, walSync: WalSync | undefined) => {
  const countChanges = db.prepare('SELECT total_changes() AS n');
  /** The count of changes at the last sync. −1: the log may have commits of an earlier process. */
  let syncedChanges = -1;

  /** Resolves after all commits so far are on the disk. */
  const sync = async (): Promise<void> => {
    const changes = Number(countChanges.get()?.['n']);
    if (walSync === undefined || changes === syncedChanges) return;
    await walSync.sync();
    syncedChanges = Math.max(syncedChanges, changes);
  };
  const succeed = (id: number, output: unknown): void =>
    port.postMessage({ id, output } satisfies Reply, buffersOf(output));
  const fail = (id: number, error: unknown): void =>
    port.postMessage({ id, failure: failureOf(error) } satisfies Reply);
  /** Answers requests once their commits are on the disk. Meanwhile the thread works on others. */
  const succeedWhenSynced = async (answers: readonly { id: number; output: unknown }[]): Promise<void> => {
    try {
      await sync();
    } catch (error) {
      for (const { id } of answers) fail(id, error);
      return;
    }
    for (const { id, output } of answers) succeed(id, output);
  };
  return { succeed, fail, succeedWhenSynced };
};
