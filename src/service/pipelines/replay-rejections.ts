import type { ReplayOutcome, ReplayRequest } from '#contract/pipelines.ts';
import type { Deps } from '../deps.ts';
import { partyOf, transact } from '../events/event-store.ts';
import type { Actor } from '../http/auth.ts';
import { Refusal } from '../http/refusal.ts';
import { readMessage } from '../ingest/formats/read-message.ts';
import type { Message } from '../ingest/message.ts';
import { causesByReason } from '../ingest/rejected-message.ts';
import { countValues } from '../ingest/destination.ts';
import { hasRoom, spoolFull } from '../ingest/spool-limit.ts';
import { insertSpoolBatches, spoolBatches } from '../ingest/spool-store.ts';
import {
  rejectedIn,
  storeMessages,
  type Channel,
  type Stored,
  type Submission,
} from '../ingest/store-messages.ts';
import { inWrite, type Db } from '../storage/database.ts';
import { newId } from '../storage/new-id.ts';
import { channelOf, deviceOf } from './pipeline-channel.ts';
import { pipelineReplayed } from './pipeline-events.ts';
import { getPipeline, mappingOf, moveInLedger, type PipelineRow } from './pipeline-store.ts';
import {
  areUnchanged,
  listRejectedMessages,
  replaceRejections,
  type RejectedMessage,
} from './rejection-store.ts';
import { findWholeMessage } from './whole-message-store.ts';

type Replayer = {
  /** @throws Refusal `invalid-state` of a draft, `overloaded`; what was replayed before that stays so */
  replay(id: string, choice: ReplayRequest, actor: Actor): Promise<ReplayOutcome>;
  /** Ends after what is under way. */
  close(): Promise<void>;
};

/** Each may have 64 KiB of text. */
const MESSAGES_PER_BATCH = 50;

const valuesOf = (rows: RejectedMessage): number =>
  rows.reduce((sum, { value_count }) => sum + value_count, 0);

/** A message as it came; undefined where it is not kept whole. */
const bytesOf = async (db: Db, [{ message, message_id, is_whole }]: RejectedMessage) => {
  if (is_whole === 2) return findWholeMessage(db, message_id);
  return is_whole === 1 ? Buffer.from(message) : undefined;
};

/** Messages in their order: large ones alone, the others together. */
const inParts = (batch: readonly RejectedMessage[]): RejectedMessage[][] => {
  const parts: RejectedMessage[][] = [];
  for (const [index, old] of batch.entries()) {
    const isLarge = old[0].is_whole === 2;
    if (index === 0 || isLarge || batch[index - 1]![0].is_whole === 2) parts.push([]);
    parts.at(-1)!.push(old);
  }
  return parts;
};

/** The ids of devices that both may write to; null: all. */
const devicesOfBoth = (sender: string | null, actor: readonly string[] | null): readonly string[] | null => {
  if (sender === null) return actor;
  const own = JSON.parse(sender) as string[];
  return actor === null ? own : own.filter((id) => actor.includes(id));
};

/** What becomes of the rejections of a message, and of the ledger, by what became of the message now. */
const settle = (old: RejectedMessage, outcome: Stored, { isSpooled }: Channel) => {
  const before = valuesOf(old);
  const rejected = rejectedIn(outcome);
  // Delivered before, or rejected by a rejection that is no longer kept: counted already.
  const elsewhere = old[0].message_values - before;
  // What goes to the spool goes out whole once more, and is counted once more.
  const taken = isSpooled
    ? countValues(outcome.spooled)
    : Math.max(0, outcome.received - elsewhere - rejected);
  const [delivered, pending] = isSpooled ? [0, taken] : [taken, 0];
  const spare = [...old];
  const takeRow = (reason: string) => {
    const index = spare.findIndex((row) => row.reason === reason);
    return index < 0 ? undefined : spare.splice(index, 1)[0];
  };
  const causes = causesByReason(outcome.causes).map((cause) => ({ cause, row: takeRow(cause.reason) }));
  const rows = causes.map(({ cause, row = spare.shift() ?? { ...old[0], id: newId('rej') } }) => ({
    ...row,
    ...cause,
    attempts: row.attempts + 1,
    message_values: (isSpooled ? 0 : elsewhere) + taken + rejected,
  }));
  const ledger = { received: taken + rejected - before, delivered, pending, rejected: rejected - before };
  return { rows, ledger, outcome: { replayed: taken, rejected } };
};

/**
 * Takes messages of rejections again, as they came: at the time of their receipt, by the pipeline as it is now. The
 * values of a batch are stored first; then its ledger and its rejections change in one transaction. What is repeated
 * after a failure in between finds its values stored, and counts them then. Where a message yields another number of
 * values than before, `received` changes by the difference.
 */
export const createReplayer = (
  deps: Omit<Deps, 'pipelines'>,
  /** Values were put into the spool of a pipeline. */
  onSpooled: (pipelineId: string, grown: { values: number; bytes: number }) => void,
): Replayer => {
  const { db, expressions, now } = deps;
  /** The replay of a pipeline that is the last in its line. */
  const last = new Map<string, Promise<unknown>>();
  let isClosed = false;

  const submissionOf = async (
    pipeline: PipelineRow,
    actor: Actor,
    old: RejectedMessage,
  ): Promise<Submission | undefined> => {
    const [{ topic, device, at, sender_devices, is_mapped }] = old;
    const channel = channelOf(pipeline);
    const bytes = await bytesOf(db, old);
    if (bytes === undefined) return undefined;
    const message: Message = { bytes, topic, device: device ?? channel.device };
    const mapping = mappingOf(pipeline);
    // What a destination refused was mapped before: it is in our own format.
    const reading =
      mapping.format === 'auto' || is_mapped === 1
        ? readMessage(message, { nowMs: at, pipelineDevice: deviceOf(pipeline) })
        : await expressions.evaluate(pipeline.id, mapping.expression ?? '', message);
    const origin = { actor: partyOf(actor), devices: devicesOfBoth(sender_devices, actor.devices) };
    return { channel, message, origin, receivedAtMs: at, isReplay: true, read: () => reading };
  };

  const replayBatch = async (
    pipeline: PipelineRow,
    actor: Actor,
    batch: readonly RejectedMessage[],
    total: ReplayOutcome,
  ): Promise<void> => {
    const channel = channelOf(pipeline);
    const found = await Promise.all(batch.map((old) => submissionOf(pipeline, actor, old)));
    const whole = batch.filter((_, index) => found[index] !== undefined);
    const submissions = found.filter((submission) => submission !== undefined);
    const outcomes = await storeMessages(deps, submissions);
    for (const old of batch) if (!whole.includes(old)) total.rejected += valuesOf(old);
    const done = await inWrite(db, async (tx) => {
      const sum = { replayed: 0, rejected: 0, pending: 0, spoolBytes: 0 };
      for (const [index, old] of whole.entries()) {
        const stored = outcomes[index];
        if (stored === undefined || 'error' in stored || !(await areUnchanged(tx, old))) continue;
        const { rows, ledger, outcome } = settle(old, stored, channel);
        const { rows: batches, bytes: spoolBytes } = spoolBatches(pipeline.id, stored.spooled, now());
        if (!(await hasRoom(tx, pipeline.id, { bytes: spoolBytes, limitBytes: deps.config.spoolLimitBytes })))
          throw spoolFull(pipeline.name);
        await insertSpoolBatches(tx, batches);
        await replaceRejections(tx, old, rows);
        await moveInLedger(tx, pipeline.id, { ...ledger, spoolBytes });
        sum.replayed += outcome.replayed;
        sum.rejected += outcome.rejected;
        sum.pending += ledger.pending;
        sum.spoolBytes += spoolBytes;
      }
      return sum;
    });
    total.replayed += done.replayed;
    total.rejected += done.rejected;
    if (done.pending > 0) onSpooled(pipeline.id, { values: done.pending, bytes: done.spoolBytes });
    const failed = outcomes.find((outcome) => 'error' in outcome);
    if (failed !== undefined && 'error' in failed) throw failed.error;
  };

  const replayAll = async (
    id: string,
    { ids, reason }: ReplayRequest,
    actor: Actor,
  ): Promise<ReplayOutcome> => {
    const pipeline = await getPipeline(db, id);
    if (pipeline.state === 'draft')
      throw new Refusal(
        'invalid-state',
        `The pipeline “${pipeline.name}” is a draft. Mend its problems first, then replay.`,
      );
    const chosen = {
      untilMs: now(),
      limit: MESSAGES_PER_BATCH,
      ...(ids === undefined ? {} : { ids }),
      ...(reason === undefined ? {} : { reason }),
    };
    const total = { replayed: 0, rejected: 0 };
    try {
      let after: RejectedMessage[0] | undefined;
      for (;;) {
        if (isClosed) throw new Refusal('overloaded', 'The service is stopping. Replay the rest later.');
        const batch = await listRejectedMessages(db, id, {
          ...chosen,
          ...(after === undefined ? {} : { after }),
        });
        if (batch.length === 0) break;
        after = batch.at(-1)?.[0];
        for (const part of inParts(batch)) await replayBatch(pipeline, actor, part, total);
      }
    } finally {
      const told = pipelineReplayed(pipeline, { actor: partyOf(actor), at: now(), data: total });
      if (total.replayed + total.rejected > 0) await transact(deps, (_, tell) => tell(told));
    }
    return total;
  };

  return {
    // One after another: two at once would store the same messages twice.
    replay: (id, choice, actor) => {
      const done = (last.get(id) ?? Promise.resolve()).then(() => replayAll(id, choice, actor));
      const quiet = done
        .catch(() => undefined)
        .finally(() => {
          if (last.get(id) === quiet) last.delete(id);
        });
      last.set(id, quiet);
      return done;
    },
    close: async () => {
      isClosed = true;
      await Promise.all(last.values());
    },
  };
};
