import type { ReplayOutcome, ReplayRequest } from '#contract/rejections.ts';
import { partyOf, type Transact } from '../../events/event-store.ts';
import { HttpProblem, overloaded } from '../../platform/http/http-problem.ts';
import { createSampleStamps, type SampleStamps } from '../ingest/sample-stamps.ts';
import { hasRoom, spoolFull } from '../spool/spool-limit.ts';
import { insertSpoolBatches, spoolBatches } from '../spool/spool-store.ts';
import { storeMessages } from '../ingest/store-messages.ts';
import { inWrite, type Db } from '../../platform/storage/database.ts';
import { createTaskQueues } from '../../platform/task-queues.ts';
import type { ReadLargeMessage } from '../formats/read-message.ts';
import type { LearnedRegistry } from '../ingest/learned-registry.ts';
import type { ExpressionEvaluator } from '../mapping/expression-evaluator.ts';
import type { Ingest } from '../../telemetry/write/ingest-samples.ts';
import { channelOf } from '../ingest/pipeline-channel.ts';
import { recordOverwrites } from '../ingest/overwrite-store.ts';
import { pipelineReplayed } from '../definition/pipeline-events.ts';
import {
  getPipeline,
  moveInLedger,
  describeProblems,
  type PipelineRow,
} from '../definition/pipeline-store.ts';
import {
  areUnchanged,
  listRejectedMessages,
  replaceRejections,
  type RejectedMessage,
} from '../rejections/rejection-store.ts';
import { splitBatch, rejectedSubmissions, type ReplayedBy } from './rejected-submission.ts';
import type { Evaluate } from '../mapping/map-message.ts';
import { settleReplay, countRejected } from './settle-replay.ts';

export type Replayer = {
  /** @throws HttpProblem `invalid-state` for a draft, `overloaded`; messages replayed until then stay replayed */
  replay(id: string, choice: ReplayRequest, by: ReplayedBy): Promise<ReplayOutcome>;
  /** Stops after the current messages. */
  close(): Promise<void>;
};

export type ReplayerDependencies = {
  db: Db;
  transact: Transact;
  now: () => number;
  ingest: Ingest;
  expressions: Pick<ExpressionEvaluator, 'evaluate'>;
  readLargeMessage: ReadLargeMessage;
  learned: Pick<LearnedRegistry, 'findForReplay' | 'saved'>;
  /** The size limit of the spool of each pipeline, in bytes. */
  spoolLimitBytes: number;
};

/** One replay, from its first message to its last. */
type Run = {
  readonly pipeline: PipelineRow;
  readonly submissionOf: ReturnType<typeof rejectedSubmissions>;
  readonly stamps: SampleStamps;
  readonly total: ReplayOutcome;
};

/** Each can have 64 KiB of text. */
const MESSAGES_PER_BATCH = 50;

/**
 * Replays rejected messages with their time of receipt and the current pipeline. The samples of a batch are stored
 * first; then the ledger and the rejections change in one transaction. If a failure in between repeats the batch, its
 * samples are already stored and are counted then. If a message yields another number of samples than before, `received`
 * changes by the difference.
 */
export const createReplayer = (
  deps: ReplayerDependencies,
  {
    onSpooled,
    onMoved,
  }: {
    /** Called after samples were added to the spool of a pipeline. */
    onSpooled: (pipelineId: string, grown: { samples: number; bytes: number }) => void;
    /** Called after the ledger of a pipeline changed. */
    onMoved: (pipelineId: string) => void;
  },
): Replayer => {
  const { db, transact, expressions, now, readLargeMessage, learned, spoolLimitBytes } = deps;
  const replays = createTaskQueues();
  let isClosed = false;

  const replayBatch = async (
    batch: readonly RejectedMessage[],
    { pipeline, submissionOf, stamps, total }: Run,
  ): Promise<void> => {
    const channel = channelOf(pipeline);
    const found = await Promise.all(batch.map(submissionOf));
    const whole = batch.filter((_, index) => found[index] !== undefined);
    const submissions = found.filter((submission) => submission !== undefined);
    const outcomes = await storeMessages({ ...deps, stamps }, submissions);
    for (const old of batch) if (!whole.includes(old)) total.rejected += countRejected(old);
    const done = await inWrite(db, async (tx) => {
      const sum = { replayed: 0, rejected: 0, skipped: 0, pending: 0, spoolBytes: 0 };
      for (const [index, old] of whole.entries()) {
        const stored = outcomes[index];
        if (stored === undefined || 'error' in stored || !(await areUnchanged(tx, old))) continue;
        const { rows, ledger, outcome } = settleReplay(old, stored, channel);
        const { rows: batches, bytes: spoolBytes } = spoolBatches(pipeline.id, stored.spooled, now());
        if (!(await hasRoom(tx, pipeline.id, { bytes: spoolBytes, limitBytes: spoolLimitBytes })))
          throw spoolFull(pipeline.name);
        await insertSpoolBatches(tx, batches);
        await replaceRejections(tx, old, rows);
        await moveInLedger(tx, pipeline.id, { ...ledger, spoolBytes });
        await recordOverwrites(tx, pipeline.id, stored.overwrites, now());
        sum.replayed += outcome.replayed;
        sum.rejected += outcome.rejected;
        sum.skipped += outcome.skipped;
        sum.pending += ledger.pending;
        sum.spoolBytes += spoolBytes;
      }
      return sum;
    });
    total.replayed += done.replayed;
    total.rejected += done.rejected;
    total.skipped += done.skipped;
    if (done.pending > 0) onSpooled(pipeline.id, { samples: done.pending, bytes: done.spoolBytes });
    const failed = outcomes.find((outcome) => 'error' in outcome);
    if (failed !== undefined && 'error' in failed) throw failed.error;
  };

  const replayAll = async (
    id: string,
    choice: ReplayRequest,
    { actor, isAwaited }: ReplayedBy,
  ): Promise<ReplayOutcome> => {
    const pipeline = await getPipeline(db, id);
    if (pipeline.state === 'draft')
      throw new HttpProblem(
        'invalid-state',
        `The pipeline “${pipeline.name}” is a draft: ${describeProblems(pipeline)} Fix this before you replay.`,
      );
    const chosen = { ...choice, untilMs: now() };
    const total = { replayed: 0, rejected: 0, skipped: 0 };
    const evaluate: Evaluate = (expression, message) => expressions.evaluate(id, expression, message);
    const submissionOf = rejectedSubmissions(db, pipeline, {
      actor,
      evaluate,
      readLargeMessage,
      learned: learned.findForReplay(id),
    });
    const run: Run = { pipeline, submissionOf, stamps: createSampleStamps(), total };
    try {
      let cursor: string | undefined;
      do {
        if (isClosed) throw overloaded('The service is stopping. Replay the rest later.');
        const page = await listRejectedMessages(db, id, chosen, { limit: MESSAGES_PER_BATCH, cursor });
        for (const part of splitBatch(page.messages)) {
          await replayBatch(part, run);
          await learned.saved(id);
          onMoved(id);
        }
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined && isAwaited());
    } finally {
      const event = pipelineReplayed(pipeline, { actor: partyOf(actor), at: now(), data: total });
      if (total.replayed + total.rejected + total.skipped > 0)
        await transact((_, recordEvents) => recordEvents(event));
    }
    return total;
  };

  return {
    // One at a time per pipeline: concurrent replays would store the same messages twice.
    replay: (id, choice, by) => replays.run(id, () => replayAll(id, choice, by)),
    close: async () => {
      isClosed = true;
      await replays.settled();
    },
  };
};
