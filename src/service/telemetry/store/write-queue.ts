import { setTimeout as delay } from 'node:timers/promises';
import type { WriteBatch, WriteResult } from './telemetry-store.ts';

/** Bounds how long other writes wait for a transaction. */
const SAMPLES_PER_TRANSACTION = 20_000;

type WaitingWrite = {
  readonly batch: WriteBatch;
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: unknown) => void;
};
type Entry = WaitingWrite | { readonly step: () => Promise<void> };

/**
 * Runs writes and steps of removals one after the other, in the order of arrival. Writes that wait together share a
 * transaction, and so one wait for the disk.
 * @param options.writeEveryMs the least time from one transaction of writes to the next, for a server on which each has
 * a cost
 * @param options.samplesPerTransaction the most samples of a transaction, unless one batch has more
 */
export const createWriteQueue = (
  writeAll: (batches: readonly WriteBatch[]) => Promise<WriteResult[]>,
  { writeEveryMs = 0, samplesPerTransaction = SAMPLES_PER_TRANSACTION } = {},
) => {
  const entries: Entry[] = [];
  let nextWriteAtMs = 0;

  const takeWrites = (): WaitingWrite[] => {
    const writes: WaitingWrite[] = [];
    for (let samples = 0; ;) {
      const [next] = entries;
      if (next === undefined || 'step' in next) return writes;
      samples += next.batch.index.length;
      if (samples > samplesPerTransaction && writes.length > 0) return writes;
      entries.shift();
      writes.push(next);
    }
  };

  const runNext = async (): Promise<void> => {
    const [next] = entries;
    if (next !== undefined && 'step' in next) {
      entries.shift();
      return next.step();
    }
    const waitMs = nextWriteAtMs - performance.now();
    if (waitMs > 0) await delay(waitMs);
    nextWriteAtMs = performance.now() + writeEveryMs;
    const writes = takeWrites();
    try {
      const results = await writeAll(writes.map(({ batch }) => batch));
      for (const [i, { resolve }] of writes.entries()) resolve(results[i]!);
    } catch (error) {
      for (const { reject } of writes) reject(error);
    }
  };

  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    // Waits one turn, so that writes that arrive together share a transaction.
    await new Promise((resolve) => setImmediate(resolve));
    while (entries.length > 0) await runNext();
    running = undefined;
  };
  const add = (entry: Entry): void => {
    entries.push(entry);
    running ??= run();
  };

  return {
    write: (batch: WriteBatch): Promise<WriteResult> =>
      new Promise((resolve, reject) => add({ batch, resolve, reject })),
    /** Runs a step while no write runs. */
    exclusively: <T>(work: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) =>
        add({
          step: async () => {
            try {
              resolve(await work());
            } catch (error) {
              reject(error);
            }
          },
        }),
      ),
  };
};
