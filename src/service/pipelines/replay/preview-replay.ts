import type { ReplayOutcome, ReplayPreview, ReplayPreviewRequest } from '#contract/rejections.ts';
import type { DeviceSamples } from '#contract/telemetry.ts';
import { resolveDryRun } from '../../devices/device-registry.ts';
import type { Actor } from '../../platform/http/auth.ts';
import { HttpProblem } from '../../platform/http/http-problem.ts';
import type { Timeouts } from '../../platform/timeouts.ts';
import { countSamples, type SpooledSamples } from '../destinations/destination.ts';
import type { ReadLargeMessage } from '../formats/read-message.ts';
import type { ExpressionEvaluator } from '../mapping/expression-evaluator.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { TelemetryStore } from '../../telemetry/store/telemetry-store.ts';
import { createSampleStamps } from '../ingest/sample-stamps.ts';
import { storeMessages } from '../ingest/store-messages.ts';
import type { Submission } from '../ingest/submission.ts';
import { createDryRunIngest } from '../../telemetry/write/dry-run-ingest.ts';
import { changedColumns } from '../definition/changed-columns.ts';
import { findValidationContext } from '../definition/find-validation-context.ts';
import { channelOf } from '../ingest/pipeline-channel.ts';
import { getPipeline, describeProblems, problemsOf, type PipelineRow } from '../definition/pipeline-store.ts';
import { splitBatch, rejectedSubmissions, type ReplayedBy } from './rejected-submission.ts';
import {
  countRejectedMessages,
  cursorAfterMessage,
  listRejectedMessages,
  type RejectedMessage,
} from '../rejections/rejection-store.ts';
import { settleReplay, countRejected } from './settle-replay.ts';

const MESSAGES_PER_PAGE = 20;
const SHOWN_SAMPLES = 100;

export type PreviewReplayDependencies = {
  db: Db;
  environment: Environment;
  expressions: Pick<ExpressionEvaluator, 'tryOut'>;
  now: () => number;
  telemetry: TelemetryStore;
  readLargeMessage: ReadLargeMessage;
  /** Older samples are rejected; undefined: no limit. */
  retentionMs: number | undefined;
  metricsPerDevice: number;
  timeouts: Pick<Timeouts, 'previewMs'>;
};

type Tally = Pick<ReplayPreview, 'messages' | 'replayed' | 'rejected' | 'skipped'> & {
  reasons: Map<string, ReplayPreview['reasons'][number]>;
  samples: DeviceSamples[];
};
type ReasonCount = { reason: string; detail: string; value_count: number };

const addReasons = ({ reasons }: Tally, [first]: RejectedMessage, found: readonly ReasonCount[]): void => {
  for (const { reason, detail, value_count } of found) {
    const { id, message, topic, is_whole } = first;
    const rejection = reasons.get(reason) ?? {
      reason,
      detail,
      samples: 0,
      messages: 0,
      example: { id, message, truncated: is_whole === 2, topic },
    };
    reasons.set(reason, rejection);
    rejection.samples += value_count;
    rejection.messages += 1;
  }
};

const NOT_WHOLE = 'The whole message is not stored, so it cannot be replayed.';

const addSamples = ({ samples }: Tally, found: readonly SpooledSamples[]): void => {
  let room = SHOWN_SAMPLES - countSamples(samples);
  for (const group of found) {
    if (room <= 0) return;
    const values = Object.entries(group.values).slice(0, room);
    samples.push({ ...group, values: Object.fromEntries(values) });
    room -= values.length;
  }
};

/** The pipeline after a change. @throws HttpProblem `invalid-state` for a draft, which cannot replay */
const pipelineAfter = async (
  { db, environment }: Pick<PreviewReplayDependencies, 'db' | 'environment'>,
  id: string,
  change: ReplayPreviewRequest['change'] = {},
): Promise<PipelineRow> => {
  const old = await getPipeline(db, id);
  const destination = change.destination ?? old.destination;
  const context = await findValidationContext(db, { environment, destination });
  const row = { ...old, ...changedColumns(old, change, context).columns };
  if (row.state !== 'draft') return row;
  const words = old.state === 'draft' ? 'is a draft' : 'would be a draft with this change';
  throw new HttpProblem(
    'invalid-state',
    `The pipeline “${row.name}” ${words}: ${describeProblems(row)} Fix this before you preview a replay.`,
    {
      errors: problemsOf(row).map(({ pointer, detail }) => ({
        pointer: `/change${pointer}`,
        code: 'invalid',
        detail,
      })),
    },
  );
};

/** Predicts the outcomes of a replay with the pipeline in `row`. */
const dryRun = (deps: PreviewReplayDependencies, row: PipelineRow, actor: Actor, hasEnded: () => boolean) => {
  const { db, expressions, now, telemetry, readLargeMessage, retentionMs, metricsPerDevice } = deps;
  const channel = channelOf(row);
  const submissionOf = rejectedSubmissions(db, row, {
    actor,
    evaluate: expressions.tryOut,
    readLargeMessage,
  });
  const { ingest, takeStored } = createDryRunIngest({
    store: telemetry,
    resolveDryRun: (names, sender) => resolveDryRun(db, names, sender),
    clock: now,
    retentionMs,
    metricsPerDevice,
  });
  const stamps = createSampleStamps();
  const tally: Tally = { messages: 0, replayed: 0, rejected: 0, skipped: 0, reasons: new Map(), samples: [] };

  const count = (old: RejectedMessage, outcome: ReplayOutcome, reasons: readonly ReasonCount[]) => {
    tally.messages += 1;
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
      count(old, outcome, rows);
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
  deps: PreviewReplayDependencies,
  id: string,
  { change, cursor, ...choice }: ReplayPreviewRequest,
  { actor, isAwaited }: ReplayedBy,
): Promise<ReplayPreview> => {
  const row = await pipelineAfter(deps, id, change);
  let startedAt: number | undefined;
  // First asked after the first message, whose expression may have to wait until its process has started.
  const hasEnded = () =>
    !isAwaited() || performance.now() - (startedAt ??= performance.now()) >= deps.timeouts.previewMs;
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
