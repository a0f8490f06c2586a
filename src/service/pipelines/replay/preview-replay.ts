import type { ReplayOutcome, ReplayPreview, ReplayPreviewRequest } from '#contract/rejections.ts';
import type { DeviceSamples } from '#contract/telemetry.ts';
import type { Actor } from '../../platform/http/auth.ts';
import { getPipeline, type PipelineRow } from '../definition/pipeline-store.ts';
import { countSamples, type SpooledSamples } from '../destinations/destination.ts';
import { channelOf } from '../ingest/pipeline-channel.ts';
import { createSampleStamps } from '../ingest/sample-stamps.ts';
import { storeMessages } from '../ingest/store-messages.ts';
import type { Submission } from '../ingest/submission.ts';
import {
  countRejectedMessages,
  cursorAfterMessage,
  listRejectedMessages,
  type RejectedMessage,
} from '../rejections/rejection-store.ts';
import {
  createPreviewLimit,
  dryRunIngest,
  pipelineAfter,
  type DryRunDependencies,
} from './pipeline-dry-run.ts';
import { splitBatch, rejectedSubmissions, type ReplayedBy } from './rejected-submission.ts';
import { settleReplay, countRejected } from './settle-replay.ts';

const MESSAGES_PER_PAGE = 20;
const SHOWN_SAMPLES = 100;

type Tally = Pick<ReplayPreview, 'messages' | 'passed' | 'replayed' | 'rejected' | 'skipped'> & {
  reasons: Map<string, ReplayPreview['reasons'][number]>;
  samples: DeviceSamples[];
};
type ReasonCount = { reason: string; detail: string; value_count: number; expression?: string | null };

const addReasons = ({ reasons }: Tally, [first]: RejectedMessage, found: readonly ReasonCount[]): void => {
  for (const { reason, detail, value_count, expression = null } of found) {
    const { id, message, topic, device, is_whole } = first;
    const rejection = reasons.get(reason) ?? {
      reason,
      detail,
      samples: 0,
      messages: 0,
      expression,
      example: { id, message, truncated: is_whole === 2, topic, defaultDevice: device },
    };
    reasons.set(reason, rejection);
    rejection.samples += value_count;
    rejection.messages += 1;
  }
};

const NOT_WHOLE = 'The message is not stored in full, so it cannot be replayed.';

const addSamples = ({ samples }: Tally, found: readonly SpooledSamples[]): void => {
  let room = SHOWN_SAMPLES - countSamples(samples);
  for (const group of found) {
    if (room <= 0) return;
    const values = Object.entries(group.values).slice(0, room);
    samples.push({ ...group, values: Object.fromEntries(values) });
    room -= values.length;
  }
};

/** Predicts the outcomes of a replay with the pipeline in `row`. */
const dryRun = (deps: DryRunDependencies, row: PipelineRow, actor: Actor, hasEnded: () => boolean) => {
  const { db, expressions, readLargeMessage, learned } = deps;
  const channel = channelOf(row);
  const submissionOf = rejectedSubmissions(db, row, {
    actor,
    evaluate: expressions.tryOut,
    readLargeMessage,
    learned: learned.findForPreview(row.id),
  });
  const { ingest, takeStored } = dryRunIngest(deps, { omitsStored: true });
  const stamps = createSampleStamps();
  const tally: Tally = {
    messages: 0,
    passed: 0,
    replayed: 0,
    rejected: 0,
    skipped: 0,
    reasons: new Map(),
    samples: [],
  };

  const count = (old: RejectedMessage, outcome: ReplayOutcome, reasons: readonly ReasonCount[]) => {
    tally.messages += 1;
    tally.passed += outcome.rejected + outcome.skipped === 0 ? 1 : 0;
    tally.replayed += outcome.replayed;
    tally.rejected += outcome.rejected;
    tally.skipped += outcome.skipped;
    addReasons(tally, old, reasons);
  };

  /**
   * Reads messages one by one, because previews have a small queue. Stops early after `hasEnded`, but reads at least
   * one.
   */
  const readAll = async (part: readonly RejectedMessage[]) => {
    const read: { old: RejectedMessage; submission: Submission | undefined }[] = [];
    for (const old of part) {
      if (tally.messages + read.length > 0 && hasEnded()) break;
      read.push({ old, submission: await submissionOf(old) });
    }
    return read;
  };

  /** Resolves to the last processed message; undefined: none. */
  const tryPart = async (part: readonly RejectedMessage[]): Promise<RejectedMessage | undefined> => {
    const read = await readAll(part);
    const whole = read.flatMap(({ old, submission }) =>
      submission === undefined ? [] : [{ old, submission }],
    );
    const outcomes = await storeMessages(
      { db, ingest, stamps },
      whole.map(({ submission }) => submission),
    );
    for (const [index, { old }] of whole.entries()) {
      const stored = outcomes[index]!;
      if ('error' in stored) throw stored.error;
      const { outcome, rows } = settleReplay(old, stored, channel);
      const expressionOf = (reason: string) =>
        stored.rejections.find((each) => each.reason === reason)?.expression ?? null;
      count(
        old,
        outcome,
        rows.map((row) => ({ ...row, expression: expressionOf(row.reason) })),
      );
      addSamples(tally, stored.spooled);
    }
    addSamples(tally, takeStored());
    for (const { old, submission } of read) {
      if (submission !== undefined) continue;
      const samples = countRejected(old);
      const rejection = { reason: 'not-whole', detail: NOT_WHOLE, value_count: samples };
      count(old, { replayed: 0, rejected: samples, skipped: 0 }, [rejection]);
    }
    return read.at(-1)?.old;
  };

  return { tally, tryPart };
};

/**
 * Predicts a replay: runs its steps over an ingest that stores nothing. Processes the oldest messages of the choice, as
 * many as fit in about a second, and returns a cursor for the rest. Ends when the client disconnects.
 * @throws HttpProblem `invalid-state` if the pipeline is a draft or would become one; `cursor-mismatch`, `overloaded`
 */
export const previewReplay = async (
  deps: DryRunDependencies,
  id: string,
  { change, cursor, ...choice }: ReplayPreviewRequest,
  { actor, isAwaited }: ReplayedBy,
): Promise<ReplayPreview> => {
  const row = await pipelineAfter(deps, await getPipeline(deps.db, id), change);
  const hasEnded = createPreviewLimit(deps, isAwaited);
  const { tally, tryPart } = dryRun(deps, row, actor, hasEnded);

  // The cursor is bound to the change too, so that clients only add up results for the same pipeline.
  const asked = { ...choice, change };
  /** Where the next page begins. */
  let next = cursor;
  const tryPage = async (): Promise<boolean> => {
    const page = await listRejectedMessages(deps.db, id, asked, { limit: MESSAGES_PER_PAGE, cursor: next });
    for (const part of splitBatch(page.messages)) {
      const last = await tryPart(part);
      if (last !== undefined) next = cursorAfterMessage(id, asked, last);
      if (last !== part.at(-1)) return true;
    }
    next = page.nextCursor ?? undefined;
    return next !== undefined;
  };

  let isMore: boolean;
  do isMore = await tryPage();
  while (isMore && !hasEnded());
  return {
    ...tally,
    total: await countRejectedMessages(deps.db, id, choice),
    reasons: [...tally.reasons.values()].toSorted((a, b) => b.samples - a.samples),
    nextCursor: (isMore ? next : undefined) ?? null,
  };
};
