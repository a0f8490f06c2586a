import { writeSync } from 'node:fs';
import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import type { DiskGuard } from '#service/platform/storage/disk-guard.ts';
import { batchOf } from '../../service/batch-of.ts';
import { operationOf } from './store-history.ts';

/**
 * The process to kill. Its writers change a store as fast as it answers, each starting with operation `from[writer]`.
 * Prints `<writer> <n>` after the answer to operation `n` of a writer. Kills itself at answer `lastAnswer`.
 */
export type WriterOptions = {
  readonly dataDir: string;
  readonly seed: number;
  readonly from: readonly number[];
  readonly lastAnswer?: number;
};

const options = JSON.parse(process.argv[2] ?? '{}') as WriterOptions;

/** Simulates a disk with little space: a short journal and log make compactions and checkpoints frequent. */
const disk: Pick<
  DiskGuard,
  'isScarce' | 'readOnlyError' | 'requireWritable' | 'reportError' | 'reclaimWith'
> = {
  isScarce: () => true,
  readOnlyError: () => undefined,
  requireWritable: () => undefined,
  reportError: () => undefined,
  reclaimWith: () => undefined,
};
writeSync(1, `pid ${process.pid}\n`);
const store = await openSqliteTelemetryStore(options.dataDir, { disk: disk as DiskGuard });
let answers = 0;

const run = async (writer: number, from: number): Promise<never> => {
  for (let n = from; ; n += 1) {
    const operation = operationOf(options.seed, writer, n);
    if ('write' in operation) await store.write(batchOf(operation.write));
    else await store.remove(operation.remove);
    // Synchronous, unlike process.stdout, so that the answer is printed even if a kill follows.
    writeSync(1, `${writer} ${n}\n`);
    answers += 1;
    if (answers === options.lastAnswer) process.kill(process.pid, 'SIGKILL');
  }
};
await Promise.all(options.from.map((from, writer) => run(writer, from)));
