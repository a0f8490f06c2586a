import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import {
  openSqlite,
  openSqliteReadOnly,
  shrinkSqlite,
  truncateLog,
} from '../../../platform/storage/dialects/sqlite.ts';
import { createWalSync } from '../../../platform/storage/dialects/wal-sync.ts';
import { upgradeTelemetryFile } from './convert-sample-table.ts';
import { textLengthOf } from '../pack-batch.ts';
import type { PackedResult } from './packed-batch.ts';
import { SampleStore } from './sample-store.ts';
import type { CallName, Reply, Request, WorkerData } from './telemetry-protocol.ts';
import { createWorkerCompaction } from './worker-compaction.ts';
import { createReplies, failureOf } from './worker-replies.ts';
import type { WriteBatch } from '../telemetry-store.ts';

/** The most samples of one transaction, unless one batch has more. Bounds how long a read waits. */
const SAMPLES_PER_TRANSACTION = 50_000;
/** What a series of a batch costs besides its samples, in samples: a new one is inserted. */
const SAMPLES_PER_SERIES = 8;
/** The same for characters of text. */
const TEXT_PER_TRANSACTION = 4_194_304;
const CACHE_KIB = 16_384;
/** Pages in the log before a checkpoint, 32 MiB: pages that every write changes are then copied to the file once. */
const LOG_PAGES = 8_000;

/** Free pages to return to the disk between two requests: a few milliseconds of work. */
const PAGES_PER_SHRINK = 1_000;
/** The share of free pages that stays in the file after a removal. */
const KEPT_FREE_SHARE = 0.1;
/** Pages in the log while the disk has little space: 2 MiB. */
const SCARCE_LOG_PAGES = 500;

const port = parentPort;
if (port === null) throw new Error('telemetry-worker.ts runs as a worker thread only.');

const { path, isReadOnly, metricsPerDevice } = workerData as WorkerData;
const fileBytes = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

const openFile = () => {
  if (!isReadOnly) return openSqlite(path);
  // A file that cannot be created is replaced by an empty database.
  return fileBytes(path) === 0 ? openSqlite(':memory:') : openSqliteReadOnly(path);
};
const db = openFile();
db.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
upgradeTelemetryFile(db, {
  freeBytes: () => {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  },
  report: (converted) => port.postMessage({ converted } satisfies Reply),
});
const store = new SampleStore(db, { metricsPerDevice });
const walSync = createWalSync(`${path}-wal`);
const { succeed, fail, succeedWhenSynced } = createReplies(port, db, isReadOnly ? undefined : walSync);
const compaction = createWorkerCompaction(store, (error) =>
  port.postMessage({ compactionFailure: failureOf(error) } satisfies Reply),
);

/** The disk has little space: the log is kept short. */
let isScarce = false;
/** Free pages are being returned to the disk, between requests. */
let isShrinking = false;

/** Requests that have not begun. */
const queue: Request[] = [];
/** Removals that have begun. They continue between requests. */
const removals: { readonly id: number; readonly steps: Generator<void, number> }[] = [];

/** Takes the writes at the head of the queue, as many as one transaction takes. */
const takeWrites = (): { id: number; batch: WriteBatch }[] => {
  const writes: { id: number; batch: WriteBatch }[] = [];
  for (let [samples, length] = [0, 0]; ;) {
    const [next] = queue;
    if (next?.name !== 'write') return writes;
    samples += next.input.index.length + SAMPLES_PER_SERIES * next.input.series.kind.length;
    length += textLengthOf(next.input);
    const isFull = samples > SAMPLES_PER_TRANSACTION || length > TEXT_PER_TRANSACTION;
    if (isFull && writes.length > 0) return writes;
    queue.shift();
    writes.push({ id: next.id, batch: next.input });
  }
};

/** Writes that wait together share one transaction, and transactions that end during a sync share the next one. */
const write = (): void => {
  const writes = takeWrites();
  try {
    compaction.requireShortJournal();
    const results = store.write(writes.map(({ batch }) => batch));
    const answers: { id: number; output: PackedResult }[] = [];
    for (const [i, output] of results.entries()) {
      const { id } = writes[i]!;
      if (output instanceof Error) fail(id, output);
      else answers.push({ id, output });
    }
    void succeedWhenSynced(answers);
  } catch (error) {
    for (const { id } of writes) fail(id, error);
  }
};

const pragma = (name: 'freelist_count' | 'page_count'): number =>
  Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);

/** Few free pages stay in the file: later samples fill them, and returning them moves other pages. */
const hasManyFreePages = (): boolean =>
  pragma('freelist_count') > Math.max(PAGES_PER_SHRINK, pragma('page_count') * KEPT_FREE_SHARE);

/** Returns some free pages to the disk. */
const advanceShrinking = (): void => {
  if (!isShrinking) return;
  const before = pragma('freelist_count');
  try {
    db.exec(`PRAGMA incremental_vacuum(${PAGES_PER_SHRINK})`);
    const left = pragma('freelist_count');
    // Files of older versions do not support this and keep their free pages.
    isShrinking = left > 0 && left < before;
    if (!isShrinking) truncateLog(db);
  } catch {
    // This only frees space. The next removal tries again.
    isShrinking = false;
  }
};

const advanceRemoval = (): void => {
  const [current] = removals;
  if (current === undefined) return;
  try {
    const step = current.steps.next();
    if (isScarce) shrinkSqlite(db, PAGES_PER_SHRINK);
    if (step.done !== true) return;
    isShrinking = hasManyFreePages();
    void succeedWhenSynced([{ id: current.id, output: step.value }]);
  } catch (error) {
    fail(current.id, error);
  }
  removals.shift();
};

/** After a failed sync, the thread goes on until the process is killed: its end would close the database too. */
const close = async (): Promise<void> => {
  while (removals.length > 0) advanceRemoval();
  await walSync.close();
  db.close();
  port.off('message', enqueue);
};

const stats = () => ({ samples: store.samples, bytes: fileBytes(path) + fileBytes(`${path}-wal`) });

const outputOf = (request: Exclude<Request, { name: 'write' | 'remove' | 'stats' | 'close' }>): unknown => {
  switch (request.name) {
    case 'countSeries':
      return store.series.count(request.input.devices, request.input.metrics);
    case 'countSeriesByDevice':
      return store.series.countByDevice(request.input.devices, request.input.metrics);
    case 'read':
      return store.reader.read(request.input.selection, request.input.resolution, request.input.aggregates);
    case 'readCombined':
      return store.reader.readCombined(
        request.input.selection,
        request.input.resolution,
        request.input.options,
      );
    case 'scan':
      return store.reader.scan(request.input.selection, request.input.limit, request.input.after);
    case 'metrics':
      return (
        store.series
          .select(request.input.devices, request.input.metrics)
          .map((row) => store.reader.metricOf(row, request.input.untilMs))
          // A series that is being deleted may have no samples left.
          .filter(({ firstTs }) => !Number.isNaN(firstTs))
      );
    case 'shrink':
      shrinkSqlite(db, PAGES_PER_SHRINK);
      return undefined;
    case 'limitLog':
      isScarce = request.input;
      store.limitJournal(isScarce);
      db.exec(`PRAGMA wal_autocheckpoint = ${isScarce ? SCARCE_LOG_PAGES : LOG_PAGES}`);
      return undefined;
  }
};

const READS: ReadonlySet<CallName> = new Set([
  'countSeries',
  'countSeriesByDevice',
  'read',
  'readCombined',
  'scan',
  'metrics',
  'stats',
]);

/** While writes wait for a compaction, reads that were asked after them are served. */
const takeRead = (): Request | undefined => {
  const next = queue.findIndex(({ name }) => READS.has(name));
  return next === -1 ? undefined : queue.splice(next, 1)[0];
};

const begin = (request: Exclude<Request, { name: 'write' }>): void => {
  const { id, name } = request;
  if (name === 'remove') removals.push({ id, steps: store.remove(request.input) });
  // A later start compares the number of samples with this one, so a loss of power must not reduce it.
  else if (name === 'stats') void succeedWhenSynced([{ id, output: stats() }]);
  else if (name === 'close')
    void close().then(
      () => succeed(id, undefined),
      (error: unknown) => fail(id, error),
    );
  else succeed(id, outputOf(request));
};

/** Begins the next request. */
const serve = (): void => {
  const isWrite = queue[0]?.name === 'write';
  const mustWait = isWrite && compaction.mustFinishFirst();
  if (isWrite && !mustWait) return write();
  const request = mustWait ? takeRead() : queue.shift();
  if (request === undefined || request.name === 'write') return;
  try {
    begin(request);
  } catch (error) {
    fail(request.id, error);
  }
};

let isScheduled = false;
const schedule = (): void => {
  if (isScheduled) return;
  isScheduled = true;
  // After the messages that already wait, so that their writes share a transaction.
  setImmediate(() => {
    isScheduled = false;
    serve();
    advanceRemoval();
    if (!db.isOpen) return;
    if (!isReadOnly) compaction.advance();
    if (removals.length === 0 && queue.length === 0) advanceShrinking();
    if (queue.length > 0 || removals.length > 0 || isShrinking || compaction.isRunning) schedule();
  });
};

const enqueue = (requests: readonly Request[]): void => {
  queue.push(...requests);
  schedule();
};
port.on('message', enqueue);

// A conversion leaves many free pages.
isShrinking = !isReadOnly && hasManyFreePages();
if (isShrinking) schedule();
