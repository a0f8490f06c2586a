import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { packBatch } from '../pack-batch.ts';
import { buffersOf, unpackResult } from './packed-batch.ts';
import { siblingProgram } from '../../../platform/sibling-program.ts';
import { toError } from '../../../platform/to-error.ts';
import { SyncFailed } from '../../../platform/storage/dialects/wal-sync.ts';
import type { DiskGuard } from '../../../platform/storage/disk-guard.ts';
import type { Reply, CallName, Failure, Request, TelemetryCalls, WorkerData } from './telemetry-protocol.ts';
import type { TelemetryStore } from '../telemetry-store.ts';
import { QueryTooLarge, StorageFull } from '../../../platform/storage/store-errors.ts';
import { createWriteLimit } from '../write-limit.ts';

const CLOSED = 'The telemetry store is closed.';
const ENDED = 'The telemetry thread has ended.';

type Pending = { readonly resolve: (output: unknown) => void; readonly reject: (error: Error) => void };

const classOf = ({ isDiskFull, isSyncFailed, isTooLarge }: Failure) => {
  if (isSyncFailed) return SyncFailed;
  if (isTooLarge) return QueryTooLarge;
  return isDiskFull ? StorageFull : Error;
};

const errorOf = (failure: Failure): Error => {
  const { message, stack, errcode } = failure;
  const ErrorClass = classOf(failure);
  return Object.assign(new ErrorClass(message), { stack, errcode });
};

/**
 * Below Node's defaults, so that garbage is collected early: the young generation would take 100 MiB more, the old one
 * several hundred. The store needs about 100 MB of the old generation, and 300 MB for texts at worst.
 */
const HEAP_MB = { young: 16, old: 512 };

type ThreadListeners = {
  readonly onConverted: (samples: number) => void;
  readonly onCompactionFailure: (error: Error) => void;
  /** Called if the thread ends without being closed. */
  readonly onEnd: (error: Error) => void;
};

/** The thread that owns telemetry.db, and the calls that wait for it. */
class TelemetryThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #onEnd: (error: Error) => void;
  #unsent: Request[] = [];
  #buffers: ArrayBuffer[] = [];
  #lastId = 0;
  /** Why no further call is possible. */
  #ended: Error | undefined;

  constructor(data: WorkerData, { onConverted, onCompactionFailure, onEnd }: ThreadListeners) {
    this.#onEnd = onEnd;
    this.#worker = new Worker(siblingProgram(import.meta.filename, 'telemetry-worker'), {
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: HEAP_MB.young, maxOldGenerationSizeMb: HEAP_MB.old },
    });
    this.#worker.on('message', (reply: Reply) => {
      if ('converted' in reply) return onConverted(reply.converted);
      if ('compactionFailure' in reply) return onCompactionFailure(errorOf(reply.compactionFailure));
      const call = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if ('failure' in reply) call?.reject(errorOf(reply.failure));
      else call?.resolve(reply.output);
    });
    this.#worker.on('error', (error) => this.#end(toError(error)));
    this.#worker.on('exit', () => this.#end(new Error(ENDED)));
  }

  /** Calls the thread, to which `buffers` move. Rejects if the call fails, or if the thread ends before it answers. */
  call<N extends CallName>(
    name: N,
    input: TelemetryCalls[N]['in'],
    buffers: readonly ArrayBufferLike[] = [],
  ): Promise<TelemetryCalls[N]['out']> {
    const ended = this.#ended;
    if (ended !== undefined) return Promise.reject(ended);
    const id = (this.#lastId += 1);
    return new Promise((resolve, reject) => {
      // The protocol types the input and output of each call. Here, calls of all names wait together.
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject });
      this.#send({ id, name, input } as Request, buffers);
    });
  }

  /** Waits for earlier calls. A thread that has ended is closed. */
  close(): Promise<void> {
    if (this.#ended !== undefined) return Promise.resolve();
    const closed = this.call('close', undefined);
    this.#ended = new Error(CLOSED);
    return closed;
  }

  /** Calls of one turn of the loop share a message: many small writes cost few wake-ups. */
  #send(request: Request, buffers: readonly ArrayBufferLike[]): void {
    if (this.#unsent.length === 0) setImmediate(() => this.#flush());
    this.#unsent.push(request);
    this.#buffers.push(...buffers.filter((buffer) => buffer instanceof ArrayBuffer));
  }

  #flush(): void {
    const [requests, buffers] = [this.#unsent, this.#buffers];
    [this.#unsent, this.#buffers] = [[], []];
    try {
      this.#worker.postMessage(requests, buffers);
    } catch (error) {
      // An input cannot be sent. Thrown here, the error would end the process.
      for (const { id } of requests) {
        this.#pending.get(id)?.reject(toError(error));
        this.#pending.delete(id);
      }
    }
  }

  #end(error: Error): void {
    const isUnexpected = this.#ended === undefined;
    this.#ended ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#ended);
    this.#pending.clear();
    if (isUnexpected) this.#onEnd(error);
  }
}

/** How often the free disk space is checked to set the size limit of the log. */
const CHECK_SPACE_EVERY_MS = 1_000;

/**
 * Telemetry in a separate SQLite file below `dataDir`, which one thread writes and reads. Without `disk`,
 * writes are not checked.
 */
export const openSqliteTelemetryStore = async (
  dataDir: string,
  {
    disk,
    isReadOnly = false,
    metricsPerDevice,
    onConverted = () => undefined,
    onCompactionFailure = () => undefined,
    onThreadEnd = () => undefined,
  }: {
    disk?: DiskGuard;
    isReadOnly?: boolean;
    metricsPerDevice?: number;
    /** Called while a file of an older version is converted, with the samples done so far. */
    onConverted?: (samples: number) => void;
    /** Called after each compaction that failed. It is retried. */
    onCompactionFailure?: (error: Error) => void;
    /** Called if the thread ends before the store is closed: every further call is rejected. */
    onThreadEnd?: (error: Error) => void;
  } = {},
): Promise<TelemetryStore> => {
  let isOpen = false;
  const thread = new TelemetryThread(
    { path: join(dataDir, 'telemetry.db'), isReadOnly, metricsPerDevice },
    {
      onConverted,
      onCompactionFailure: (error) => {
        disk?.reportError(error);
        onCompactionFailure(error);
      },
      // A file that cannot be opened ends the thread too, and rejects the first call.
      onEnd: (error) => {
        if (isOpen) onThreadEnd(error);
      },
    },
  );
  const limitWrites = createWriteLimit();
  let isLogLimited = false;
  let checkedAtMs = Number.NEGATIVE_INFINITY;

  const adjustLogLimit = (): void => {
    if (disk === undefined || performance.now() - checkedAtMs < CHECK_SPACE_EVERY_MS) return;
    checkedAtMs = performance.now();
    if (disk.isScarce() === isLogLimited) return;
    isLogLimited = !isLogLimited;
    void thread.call('limitLog', isLogLimited).catch((error: unknown) => disk.reportError(error));
  };

  const reportErrors = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      disk?.reportError(error);
      throw error;
    }
  };

  /** Runs a write if the disk accepts writes. */
  const guardWrite = async <T>(write: () => Promise<T>): Promise<T> => {
    const readOnlyError = disk?.readOnlyError();
    if (readOnlyError !== undefined) throw readOnlyError;
    disk?.requireWritable();
    adjustLogLimit();
    return reportErrors(write());
  };
  let closing: Promise<void> | undefined;

  const store: TelemetryStore = {
    countsRepeats: true,
    write: async (batch) => {
      const packed = packBatch(batch);
      const write = () => thread.call('write', packed, buffersOf(packed));
      return unpackResult(batch, await limitWrites(packed, () => guardWrite(write)));
    },
    countSeries: (devices, metrics) => thread.call('countSeries', { devices, metrics }),
    countSeriesByDevice: (devices, metrics) => thread.call('countSeriesByDevice', { devices, metrics }),
    read: (selection, resolution, aggregates) => thread.call('read', { selection, resolution, aggregates }),
    readCombined: (selection, resolution, options) =>
      thread.call('readCombined', { selection, resolution, options }),
    scan: (selection, limit, after) => thread.call('scan', { selection, limit, after }),
    metrics: (devices, metrics, untilMs) => thread.call('metrics', { devices, metrics, untilMs }),
    remove: (selection) => guardWrite(() => thread.call('remove', selection)),
    stats: () => reportErrors(thread.call('stats', undefined)),
    close: () => (closing ??= reportErrors(thread.close())),
  };
  // The first answer shows that the file could be opened.
  await store.stats();
  isOpen = true;
  if (!isReadOnly) disk?.reclaimWith(async () => thread.call('shrink', undefined));
  return store;
};
