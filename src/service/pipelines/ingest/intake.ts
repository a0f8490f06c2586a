import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.ts';
import { notFound, HttpProblem } from '../../platform/http/http-problem.ts';
import { recordOverwrites } from './overwrite-store.ts';
import { addToLedger, type LedgerEntry } from '../definition/pipeline-store.ts';
import { countEqualRejection, insertRejections, trimRejections } from '../rejections/rejection-store.ts';
import { insertWholeMessages } from '../rejections/whole-message-store.ts';
import { inWrite, type Db } from '../../platform/storage/database.ts';
import { isDiskFull } from '../../platform/storage/disk-full.ts';
import type { Ingest } from '../../telemetry/write/ingest-samples.ts';
import { StorageFull } from '../../platform/storage/store-errors.ts';
import { messageRecords, type MessageRecord } from '../rejections/rejected-message.ts';
import { createRejectionTally } from '../rejections/rejection-tally.ts';
import { noNames, type MessageSlice } from '../formats/read-message.ts';
import type { MessageRejection, MessageOutcome } from '../formats/message.ts';
import { createSampleStamps } from './sample-stamps.ts';
import { hasRoom, spoolFull } from '../spool/spool-limit.ts';
import { insertSpoolBatches, spoolBatches } from '../spool/spool-store.ts';
import { rejectedIn, storeMessages, type Stored, type Submission } from './store-messages.ts';

export type Intake = {
  /**
   * Stores a message. Resolves after its values, the ledger and its rejections are on disk.
   * @throws HttpProblem `overloaded`, StorageFull, StoreBusy: the message does not count as received
   */
  submit(submission: Submission): Promise<MessageOutcome>;
  /**
   * Stores a large message slice by slice. Each slice is stored and counted separately, so that the ledger always
   * balances. The rejections of all slices are counted and kept together, after the last slice.
   * @throws as `submit`; earlier slices stay stored and counted
   */
  submitSlices(
    submission: Omit<Submission, 'read'>,
    slices: AsyncIterable<MessageSlice>,
  ): Promise<MessageOutcome>;
  /** Resolves once nothing is waiting. */
  drained(): Promise<void>;
};

/** The outcome of a slice. Its rejections are returned instead of counted. */
type Part = MessageOutcome & { rejections: readonly MessageRejection[] };
type Waiting = {
  submission: Submission;
  /** A slice of a large message. */
  isPart: boolean;
  resolve: (part: Part) => void;
  reject: (error: unknown) => void;
};

/** Slices of large messages wait apart: the others do not wait behind them. */
type Lane = { readonly queue: Waiting[]; running: Promise<void> | undefined };

/** A message and its outcome. */
type Done = { waiting: Waiting; stored: Stored; partRejections: readonly MessageRejection[] };

/** The rejections of a slice are counted later, with those of the whole message. */
const doneOf = (waiting: Waiting, stored: Stored): Done =>
  waiting.isPart
    ? {
        waiting,
        stored: { ...stored, received: stored.received - rejectedIn(stored), rejections: [] },
        partRejections: stored.rejections,
      }
    : { waiting, stored, partRejections: [] };

const sumOf = (done: readonly Done[], count: (stored: Stored) => number): number =>
  done.reduce((sum, { stored }) => sum + count(stored), 0);

const MESSAGES_PER_WRITE = 1_000;
const BYTES_PER_WRITE = 1_048_576;
const WAITING_BYTES = 64 * 1_048_576;
/** The approximate size of a slice of a large message in memory. */
const SLICE_BYTES = 262_144;
/** Number of new rejections of a pipeline before old ones are trimmed. Large messages count as several. */
const REJECTIONS_PER_TRIM = 200;
const BYTES_LIKE_A_ROW = 65_536;

/**
 * All messages pass through here. Messages that arrive during a write share the next one, so that thousands of messages
 * per second share its cost. A ledger changes in one transaction with its rejections, before the response.
 */
export const createIntake = (deps: {
  db: Db;
  ingest: Ingest;
  log: Logger;
  now: () => number;
  clock: Pick<Clock, 'onJump'>;
  /** The size limit of the spool of each pipeline, in bytes. */
  spoolLimitBytes: number;
  /** Called after the ledger of a pipeline has grown. */
  onCounted: (entry: LedgerEntry) => void;
  /** Called if the spool of a pipeline is full. */
  onFull: (pipelineId: string) => void;
  /** Called if messages of a pipeline could not be stored. */
  onFailed: (pipelineId: string, error: unknown) => void;
}): Intake => {
  const { db, log, now, onCounted, onFailed, onFull } = deps;
  const stamps = createSampleStamps();
  deps.clock.onJump(() => stamps.reset());
  const lanes: Record<'messages' | 'slices', Lane> = {
    messages: { queue: [], running: undefined },
    slices: { queue: [], running: undefined },
  };
  const untrimmed = new Map<string, number>();
  let waitingBytes = 0;

  const bytesOf = ({ submission, isPart }: Waiting): number =>
    isPart ? SLICE_BYTES : submission.message.bytes.length;

  const nextBatch = ({ queue }: Lane): Waiting[] => {
    let bytes = 0;
    let count = 0;
    for (const waiting of queue) {
      bytes += bytesOf(waiting);
      if (count > 0 && (bytes > BYTES_PER_WRITE || count === MESSAGES_PER_WRITE)) break;
      count += 1;
    }
    return queue.splice(0, count);
  };

  const fail = ({ submission, reject }: Waiting, error: unknown) => {
    onFailed(submission.channel.id, error);
    reject(error);
  };

  /**
   * Adds outcomes to the ledger of a pipeline and spools values for external destinations. Returns why it failed: spool
   * full, or pipeline deleted.
   */
  const recordOutcome = async (
    tx: Db,
    pipelineId: string,
    messages: readonly Done[],
  ): Promise<LedgerEntry | 'full' | 'gone'> => {
    const atMs = now();
    const [received, rejected, skipped, overwritten] = [
      sumOf(messages, (stored) => stored.received),
      sumOf(messages, rejectedIn),
      sumOf(messages, (stored) => stored.skipped),
      sumOf(messages, (stored) => stored.overwritten),
    ];
    const spooled = messages.flatMap(({ stored }) => stored.spooled);
    const { rows: batches, bytes: spoolBytes, values: pending } = spoolBatches(pipelineId, spooled, atMs);
    const entry = {
      pipelineId,
      received,
      delivered: received - rejected - pending - skipped,
      pending,
      rejected,
      skipped,
      overwritten,
      spoolBytes,
      lastMessageAt: atMs,
    };
    const room = { bytes: spoolBytes, limitBytes: deps.spoolLimitBytes };
    if (!(await hasRoom(tx, pipelineId, room))) return 'full';
    if (!(await addToLedger(tx, entry))) return 'gone';
    await insertSpoolBatches(tx, batches);
    await recordRejections(tx, pipelineId, messages);
    const overwrites = messages.flatMap(({ stored }) => stored.overwrites);
    await recordOverwrites(tx, pipelineId, overwrites, atMs);
    return entry;
  };

  const recordRejections = async (tx: Db, pipelineId: string, messages: readonly Done[]): Promise<void> => {
    const kept: MessageRecord[] = [];
    for (const { waiting, stored } of messages)
      for (const message of messageRecords(waiting.submission, stored))
        if (!(await countEqualRejection(tx, message.rows))) kept.push(message);
    const rows = kept.flatMap((each) => each.rows);
    if (rows.length === 0) return;
    await insertRejections(tx, rows);
    const wholes = kept.flatMap(({ whole }) => whole ?? []);
    await insertWholeMessages(tx, wholes);
    const bulk = wholes.reduce((sum, { bytes }) => sum + Math.ceil(bytes / BYTES_LIKE_A_ROW), rows.length);
    untrimmed.set(pipelineId, (untrimmed.get(pipelineId) ?? 0) + bulk);
  };

  const recordOutcomes = async (done: readonly Done[]): Promise<void> => {
    const byPipeline = Map.groupBy(done, ({ waiting }) => waiting.submission.channel.id);
    const entries: LedgerEntry[] = [];
    const failures = new Map<string, 'full' | 'gone'>();
    await inWrite(db, async (tx) => {
      for (const [pipelineId, messages] of byPipeline) {
        const entry = await recordOutcome(tx, pipelineId, messages);
        if (typeof entry === 'string') failures.set(pipelineId, entry);
        else entries.push(entry);
      }
    });
    for (const entry of entries) onCounted(entry);
    for (const [id, failure] of failures) if (failure === 'full') onFull(id);
    for (const { waiting, stored, partRejections } of done) {
      const { id, name } = waiting.submission.channel;
      const failure = failures.get(id);
      if (failure === 'full') fail(waiting, spoolFull(name));
      // Without its pipeline, values in the built-in store stay stored. Values for other destinations are lost.
      else if (failure === 'gone' && stored.spooled.length > 0) fail(waiting, notFound('pipeline'));
      else {
        const { received, skipped, overwritten, seenDevices } = stored;
        const rejected = rejectedIn(stored);
        waiting.resolve({
          received,
          rejected,
          skipped,
          overwritten,
          seenDevices,
          rejections: partRejections,
        });
      }
    }
  };

  const trim = async () => {
    for (const [pipelineId, rows] of untrimmed) {
      if (rows < REJECTIONS_PER_TRIM) continue;
      await trimRejections(db, pipelineId, { wholeBytes: deps.spoolLimitBytes });
      untrimmed.delete(pipelineId);
    }
  };

  /** `before`: the end of the previous batch. A ledger changes in the order of the messages of a lane. */
  const writeBatch = async (
    batch: readonly Waiting[],
    before: Promise<void>,
    onStored: () => void,
  ): Promise<void> => {
    const outcomes = await storeMessages(
      { ...deps, stamps },
      batch.map(({ submission }) => submission),
    );
    onStored();
    await before;
    const done: Done[] = [];
    for (const [index, stored] of outcomes.entries())
      if ('error' in stored) fail(batch[index]!, stored.error);
      else done.push(doneOf(batch[index]!, stored));
    try {
      await recordOutcomes(done);
    } catch (error) {
      // The values may be stored but are not counted. If they are sent again, they are duplicates.
      const failure = isDiskFull(error) ? new StorageFull('The disk has no room for the ledger.') : error;
      for (const { waiting } of done) fail(waiting, failure);
    }
  };

  const finishBatch = async (
    batch: readonly Waiting[],
    before: Promise<void>,
    onStored: () => void,
  ): Promise<void> => {
    await writeBatch(batch, before, onStored).catch((error: unknown) => {
      for (const waiting of batch) fail(waiting, error);
    });
    onStored();
    for (const waiting of batch) waitingBytes -= bytesOf(waiting);
    await trim().catch((error: unknown) => log.error({ err: error }, 'could not delete old rejections'));
  };

  const run = async (lane: Lane) => {
    // Messages of the same event loop iteration share a write.
    await new Promise((resolve) => setImmediate(resolve));
    let last: Promise<void> = Promise.resolve();
    while (lane.queue.length > 0) {
      // The values of a batch are stored while the previous batch is counted.
      const [before, stored] = [last, Promise.withResolvers<void>()];
      last = finishBatch(nextBatch(lane), before, stored.resolve);
      await Promise.all([before, stored.promise]);
      if (lane.queue.length === 0) await last;
    }
    lane.running = undefined;
  };

  const overloaded = (): HttpProblem =>
    new HttpProblem(
      'overloaded',
      'Too many messages are waiting to be written. Send the message again in a second.',
      {
        headers: { 'retry-after': '1' },
      },
    );

  const enqueue = (submission: Submission, isPart: boolean): Promise<Part> =>
    new Promise((resolve, reject) => {
      const waiting = { submission, isPart, resolve, reject };
      waitingBytes += bytesOf(waiting);
      const lane = isPart ? lanes.slices : lanes.messages;
      lane.queue.push(waiting);
      lane.running ??= run(lane);
    });

  const submitSlices: Intake['submitSlices'] = async (submission, slices) => {
    const { length } = submission.message.bytes;
    if (waitingBytes + length > WAITING_BYTES) throw overloaded();
    waitingBytes += length;
    const tally = createRejectionTally();
    const seenDevices = new Set<string>();
    const sum = { received: 0, rejected: 0, skipped: 0, overwritten: 0 };
    const add = (part: Part) => {
      sum.received += part.received;
      sum.rejected += part.rejected;
      sum.skipped += part.skipped;
      sum.overwritten += part.overwritten;
      for (const rejection of part.rejections) tally.add(rejection);
      for (const id of part.seenDevices) seenDevices.add(id);
    };
    let format: string | null = null;
    try {
      for await (const slice of slices) {
        for (const rejection of slice.rejections) tally.add(rejection);
        format ??= slice.format;
        const reading = { ...slice, rejections: [] };
        if (slice.samples.length > 0) add(await enqueue({ ...submission, read: () => reading }, true));
      }
      const rejections = tally.rejections();
      if (rejections.length > 0) {
        const reading = { format, samples: [], deviceNames: noNames, rejections };
        const countedBefore = sum.received;
        add(await enqueue({ ...submission, countedBefore, read: () => reading }, false));
      }
    } finally {
      waitingBytes -= length;
    }
    return { ...sum, seenDevices: [...seenDevices] };
  };

  return {
    submit: (submission) =>
      waitingBytes + submission.message.bytes.length > WAITING_BYTES
        ? Promise.reject(overloaded())
        : enqueue(submission, false),
    submitSlices,
    drained: async () => {
      await Promise.all(Object.values(lanes).map(({ running }) => running));
    },
  };
};
