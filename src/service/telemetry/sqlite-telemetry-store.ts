import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StorageFull, StoreBusy, type TelemetryStore, type WriteBatch } from './telemetry-store.ts';
import type { Reply, Request } from './telemetry-worker.ts';

/** Values that may wait to be written; beyond that a write is refused, so that memory stays bounded. */
const MAX_WAITING_VALUES = 1_000_000;

type Pending = { resolve: (result: never) => void; reject: (error: Error) => void; values: number };

const errorOf = ({ message, isDiskFull }: NonNullable<Reply['error']>): Error =>
  isDiskFull ? new StorageFull(message) : new Error(message);

/** Telemetry in a SQLite file of its own below `dataDir`, written and read by a thread of its own. */
export const openSqliteTelemetryStore = async (dataDir: string): Promise<TelemetryStore> => {
  const worker = new Worker(join(import.meta.dirname, 'telemetry-worker.ts'), {
    workerData: { path: join(dataDir, 'telemetry.db') },
  });
  const pending = new Map<number, Pending>();
  let lastId = 0;
  let waitingValues = 0;
  let ended: Error | undefined;

  const settle = (id: number): Pending | undefined => {
    const call = pending.get(id);
    pending.delete(id);
    waitingValues -= call?.values ?? 0;
    return call;
  };
  const end = (error: Error) => {
    ended ??= error;
    for (const id of [...pending.keys()]) settle(id)?.reject(ended);
  };
  worker.on('message', ({ id, result, error }: Reply) => {
    const call = settle(id);
    if (error === undefined) call?.resolve(result as never);
    else call?.reject(errorOf(error));
  });
  worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', () => end(new Error('The telemetry store is closed.')));

  const call = <T>(method: keyof TelemetryStore, args: unknown[], values = 0): Promise<T> =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(ended);
      const id = (lastId += 1);
      pending.set(id, { resolve, reject, values });
      waitingValues += values;
      return worker.postMessage({ id, method, args } satisfies Request);
    });

  const store: TelemetryStore = {
    write: async (batch: WriteBatch) => {
      if (waitingValues > MAX_WAITING_VALUES)
        throw new StoreBusy(`${waitingValues} values wait to be written; try again in a second.`);
      return call('write', [batch], batch.value.length);
    },
    countSeries: (...args) => call('countSeries', args),
    read: (...args) => call('read', args),
    scan: (...args) => call('scan', args),
    metrics: (...args) => call('metrics', args),
    describe: (...args) => call('describe', args),
    remove: (...args) => call('remove', args),
    stats: () => call('stats', []),
    close: async () => {
      if (ended !== undefined) return;
      await call('close', []);
      await worker.terminate();
    },
  };
  // The first answer shows that the file could be opened.
  await store.stats();
  return store;
};
