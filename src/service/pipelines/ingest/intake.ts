import type { Logger } from 'pino';
import type { KeyActivityLog } from '../../access/key-activity.ts';
import type { Tracing } from '../../platform/tracing.ts';
import type { Clock } from '../../platform/clock.ts';
import { notFound, overloaded, type HttpProblem } from '../../platform/http/http-problem.ts';
import type { LedgerEntry } from '../definition/pipeline-store.ts';
import type { Db } from '../../platform/storage/database.ts';
import { isDiskFull } from '../../platform/storage/disk-full.ts';
import type { Ingest } from '../../telemetry/write/ingest-samples.ts';
import { StorageFull } from '../../platform/storage/store-errors.ts';
import { noSlice, type MessageSlice } from '../formats/message-columns.ts';
import type { ReadInto } from '../formats/message-writer.ts';
import type { MessageOutcome } from '../formats/message.ts';
import { createSampleStamps } from './sample-stamps.ts';
import { spoolFull } from '../spool/spool-limit.ts';
import { rejectedIn, type Stored } from './message-work.ts';
import { createFailureLog } from './failure-log.ts';
import { createOutcomeRecorder } from './record-outcomes.ts';
import { storeMessages } from './store-messages.ts';
import type { Submission } from './submission.ts';
import type { DeviceMessageCache } from './device-message-cache.ts';
import type { RejectingDevices } from './rejecting-devices.ts';
import { createOutcomeSum } from './sum-outcomes.ts';

export type Intake = {
  /**
   * Stores a message. Resolves after its samples, the ledger and its rejections are on disk.
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

type Waiting = {
  submission: Submission;
  /** A slice of a large message. Its rejections are counted later, with those of the whole message. */
  isPart: boolean;
  resolve: (stored: Stored) => void;
  reject: (error: unknown) => void;
};

/**
 * Messages to the built-in store and those to external destinations have their own queues, so that a store that does not
 * answer delays no others. Slices of large messages have their own too, so that other messages do not wait for them.
 */
type WriteQueue = { readonly waiting: Waiting[]; running: Promise<void> | undefined };

const newQueues = () => {
  const newQueue = (): WriteQueue => ({ waiting: [], running: undefined });
  return { messages: newQueue(), slices: newQueue() };
};

/** A message and its outcome. */
type Done = { waiting: Waiting; stored: Stored };

const recorded = ({ waiting: { submission, isPart }, stored }: Done) => ({
  submission,
  stored: isPart ? { ...stored, received: stored.received - rejectedIn(stored), rejections: [] } : stored,
});

const outcomeOf = (stored: Stored): MessageOutcome => {
  const { format, received, skipped, skipReason, overwritten, seenDevices } = stored;
  const skip = skipReason === undefined ? {} : { skip: { reason: skipReason, format } };
  return {
    received,
    rejected: rejectedIn(stored),
    skipped,
    ...skip,
    overwritten,
    seenDevices,
    rejections: stored.rejections,
  };
};

const MESSAGES_PER_WRITE = 1_000;
const BYTES_PER_WRITE = 1_048_576;
const WAITING_BYTES = 64 * 1_048_576;
/** The approximate size of a slice of a large message in memory. */
const SLICE_BYTES = 262_144;
/**
 * All messages pass through here. Messages that arrive during a write share the next one, so that thousands of messages
 * per second share its cost. A ledger changes in one transaction with its rejections, before the response.
 */
export const createIntake = (deps: {
  db: Db;
  ingest: Ingest;
  log: Logger;
  tracing: Pick<Tracing, 'span'>;
  now: () => number;
  clock: Pick<Clock, 'onJump'>;
  /** The size limit of the spool of each pipeline, in bytes. */
  spoolLimitBytes: number;
  deviceMessages: Pick<DeviceMessageCache, 'markSeen' | 'saveMessage' | 'wasAccepted'>;
  rejectingDevices: Pick<RejectingDevices, 'record'>;
  keyActivity: Pick<KeyActivityLog, 'find'>;
  /** Called after the ledger of a pipeline has grown. */
  onCounted: (entry: LedgerEntry) => void;
  /** Called if the spool of a pipeline is full. */
  onFull: (pipelineId: string) => void;
  /** Called if messages of a pipeline could not be stored. */
  onFailed: (pipelineId: string, error: unknown) => void;
}): Intake => {
  const { log, tracing, deviceMessages, rejectingDevices, keyActivity, onCounted, onFailed, onFull } = deps;
  const stamps = createSampleStamps();
  const logFailure = createFailureLog(log);
  deps.clock.onJump(() => stamps.reset());
  const queues = { stored: newQueues(), spooled: newQueues() };
  const recorder = createOutcomeRecorder(deps);
  let waitingBytes = 0;

  const bytesOf = ({ submission, isPart }: Waiting): number =>
    isPart ? SLICE_BYTES : submission.message.bytes.length;

  const saveMessage = (submission: Omit<Submission, 'read'>, stored: Stored) => {
    const { channel, message, receivedAtMs, countedBefore } = submission;
    const device = stored.soleDevice ?? message.device;
    // The rejections of a large message: it is saved as a whole after them.
    if (device === undefined || countedBefore !== undefined) return;
    const receipt = { atMs: receivedAtMs, samples: stored.received, rejected: rejectedIn(stored) };
    const isAfterAccepted = receipt.rejected > 0 && deviceMessages.wasAccepted(channel.id, device);
    deviceMessages.saveMessage(channel.id, device, message, receipt);
    const { rejections } = stored;
    rejectingDevices.record(channel.id, device, { ...receipt, rejections, isAfterAccepted });
  };

  /** Records the activity of the key. `stored.seenDevices` can include devices of other messages in the same write. */
  const recordActivity = ({ channel: { id, name }, origin }: Submission, stored: Stored) => {
    const { format, received, skipped, seenDevices, rejections } = stored;
    keyActivity.find(origin.actor?.id)?.add({
      format,
      pipeline: { id, name },
      received: received - skipped,
      rejected: rejectedIn(stored),
      skipped,
      devices:
        origin.devices === null ? seenDevices : seenDevices.filter((each) => origin.devices?.includes(each)),
      rejections,
    });
  };

  const nextBatch = (queue: WriteQueue): Waiting[] => {
    let bytes = 0;
    let count = 0;
    for (const waiting of queue.waiting) {
      bytes += bytesOf(waiting);
      if (count > 0 && (bytes > BYTES_PER_WRITE || count === MESSAGES_PER_WRITE)) break;
      count += 1;
    }
    return queue.waiting.splice(0, count);
  };

  const fail = ({ submission, reject }: Waiting, error: unknown) => {
    onFailed(submission.channel.id, error);
    reject(error);
  };

  const recordOutcomes = async (done: readonly Done[]): Promise<void> => {
    const { entries, failures } = await recorder.record(done.map(recorded));
    for (const entry of entries) onCounted(entry);
    for (const [id, failure] of failures) if (failure === 'full') onFull(id);
    for (const { waiting, stored } of done) {
      const { id, name } = waiting.submission.channel;
      const failure = failures.get(id);
      if (failure === 'full') fail(waiting, spoolFull(name));
      // Without its pipeline, samples in the built-in store stay stored. Samples for other destinations are lost.
      else if (failure === 'gone' && stored.spooled.length > 0) fail(waiting, notFound('pipeline'));
      else {
        if (!waiting.isPart) saveMessage(waiting.submission, stored);
        recordActivity(waiting.submission, stored);
        waiting.resolve(stored);
      }
    }
  };

  /** `before`: the end of the previous batch. A ledger changes in the order of the messages of a queue. */
  const writeBatch = async (
    batch: readonly Waiting[],
    before: Promise<void>,
    onStored: () => void,
  ): Promise<void> => {
    const outcomes = await storeMessages(
      { ...deps, stamps, onFormatFailed: logFailure, onSeen: deviceMessages.markSeen },
      batch.map(({ submission }) => submission),
    );
    onStored();
    await before;
    const done: Done[] = [];
    for (const [index, stored] of outcomes.entries())
      if ('error' in stored) fail(batch[index]!, stored.error);
      else done.push({ waiting: batch[index]!, stored });
    try {
      await recordOutcomes(done);
    } catch (error) {
      // The samples may be stored but are not counted. If they are sent again, they are duplicates.
      const failure = isDiskFull(error) ? new StorageFull('The disk has no room for the ledger.') : error;
      for (const { waiting } of done) fail(waiting, failure);
    }
  };

  const finishBatch = async (
    batch: readonly Waiting[],
    before: Promise<void>,
    onStored: () => void,
  ): Promise<void> => {
    const attributes = { 'penstock.messages': batch.length };
    const write = () => writeBatch(batch, before, onStored);
    // The messages of a batch come from several requests.
    await tracing.span('ingest messages', attributes, write, { isRoot: true }).catch((error: unknown) => {
      for (const waiting of batch) fail(waiting, error);
    });
    onStored();
    for (const waiting of batch) waitingBytes -= bytesOf(waiting);
    await recorder
      .trim()
      .catch((error: unknown) => log.error({ err: error }, 'could not delete old rejections'));
  };

  const run = async (queue: WriteQueue) => {
    // Messages of the same event loop iteration share a write.
    await new Promise((resolve) => setImmediate(resolve));
    let last: Promise<void> = Promise.resolve();
    while (queue.waiting.length > 0) {
      // The samples of a batch are stored while the previous batch is counted.
      const [before, stored] = [last, Promise.withResolvers<void>()];
      last = finishBatch(nextBatch(queue), before, stored.resolve);
      await Promise.all([before, stored.promise]);
      if (queue.waiting.length === 0) await last;
    }
    queue.running = undefined;
  };

  const tooManyWaiting = (): HttpProblem =>
    overloaded('Too many messages are waiting to be written. Send the message again in a second.');

  const enqueue = (submission: Submission, isPart: boolean): Promise<Stored> =>
    new Promise((resolve, reject) => {
      const waiting = { submission, isPart, resolve, reject };
      waitingBytes += bytesOf(waiting);
      const { messages, slices } = submission.channel.isSpooled ? queues.spooled : queues.stored;
      const queue = isPart ? slices : messages;
      queue.waiting.push(waiting);
      queue.running ??= run(queue);
    });

  const submitSlices: Intake['submitSlices'] = async (submission, slices) => {
    const { length } = submission.message.bytes;
    if (waitingBytes + length > WAITING_BYTES) throw tooManyWaiting();
    waitingBytes += length;
    const sum = createOutcomeSum();
    let failure: string | undefined;
    try {
      for await (const slice of slices) {
        failure ??= slice.failure;
        sum.reject(slice);
        if (!slice.isSkipped && (slice.reading === undefined || slice.reading.index.length === 0)) continue;
        const read: ReadInto = (writer) => writer.addSlice({ ...slice, rejections: [] });
        sum.add(await enqueue({ ...submission, read }, true));
      }
      const outcome = sum.outcome();
      const { format, soleDevice, rejections, received } = outcome;
      const countedBefore = received - rejectedIn(outcome);
      const read: ReadInto = (writer) =>
        writer.addSlice({ ...noSlice, format, soleDevice, rejections, failure });
      if (rejections.length > 0) await enqueue({ ...submission, countedBefore, read }, false);
      saveMessage(submission, outcome);
      return outcomeOf(outcome);
    } finally {
      waitingBytes -= length;
    }
  };

  return {
    submit: (submission) =>
      waitingBytes + submission.message.bytes.length > WAITING_BYTES
        ? Promise.reject(tooManyWaiting())
        : enqueue(submission, false).then(outcomeOf),
    submitSlices,
    drained: async () => {
      // The end of a large message is in another queue than its slices.
      await Promise.all([queues.stored.slices.running, queues.spooled.slices.running]);
      await Promise.all([queues.stored.messages.running, queues.spooled.messages.running]);
    },
  };
};
