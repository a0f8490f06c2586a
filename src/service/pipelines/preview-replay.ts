import type { ReplayPreview, ReplayPreviewRequest } from '#contract/rejections.ts';
import type { Sample } from '#contract/telemetry.ts';
import type { Deps } from '../deps.ts';
import { foreseeDevices } from '../devices/device-registry.ts';
import type { Actor } from '../http/auth.ts';
import { countValues, type SpooledSample } from '../ingest/destination.ts';
import { causesByReason } from '../ingest/rejected-message.ts';
import { storeMessages, type Submission } from '../ingest/store-messages.ts';
import { rehearseIngest } from '../telemetry/rehearse-ingest.ts';
import { changedColumns } from './change-pipeline.ts';
import { findSurroundings } from './find-surroundings.ts';
import { channelOf } from './pipeline-channel.ts';
import { getPipeline, type PipelineRow } from './pipeline-store.ts';
import { submissionOf } from './rejected-submission.ts';
import { countRejectedMessages, listRejectedMessages, type RejectedMessage } from './rejection-store.ts';
import { inParts, requireReplayable } from './replay-rejections.ts';
import { settle, valuesOf } from './settle-replay.ts';

/** Few: by an expression that takes too long each takes a tenth of a second. */
const MESSAGES_PER_PAGE = 20;
/** How long one answer is worked on, but for its first page. */
const ANSWER_MS = 1_000;
const SHOWN_VALUES = 100;

type Tally = Pick<ReplayPreview, 'messages' | 'replayed' | 'rejected'> & {
  causes: Map<string, ReplayPreview['causes'][number]>;
  samples: Sample[];
};
type Cause = { reason: string; detail: string; value_count: number };

const addCauses = ({ causes }: Tally, [first]: RejectedMessage, found: readonly Cause[]): void => {
  for (const { reason, detail, value_count } of found) {
    const { id, message, topic } = first;
    const cause = causes.get(reason) ?? {
      reason,
      detail,
      values: 0,
      messages: 0,
      example: { id, message, topic },
    };
    causes.set(reason, cause);
    cause.values += value_count;
    cause.messages += 1;
  }
};

const NOT_WHOLE = 'The message is not kept whole, or never was one: it cannot be read again, and stays.';

const addSamples = ({ samples }: Tally, found: readonly SpooledSample[]): void => {
  let room = SHOWN_VALUES - countValues(samples);
  for (const sample of found) {
    if (room <= 0) return;
    const values = Object.entries(sample.values).slice(0, room);
    samples.push({ ...sample, values: Object.fromEntries(values) });
    room -= values.length;
  }
};

const pipelineAfter = async (
  { db, config: { environment } }: Deps,
  id: string,
  change: ReplayPreviewRequest['change'],
): Promise<PipelineRow> => {
  const row = await getPipeline(db, id);
  if (change === undefined) return row;
  const destination = change.destination ?? row.destination;
  const surroundings = await findSurroundings(db, { environment, destination });
  return { ...row, ...changedColumns(row, change, surroundings).columns };
};

/**
 * What a replay would come to, by the very steps of one, over an ingest that stores nothing: the oldest messages of a
 * choice, as many as can be tried in about a second; then a cursor for the next.
 * @throws Refusal `invalid-state` where the pipeline is a draft, or would be; `cursor-mismatch`, `overloaded`
 */
export const previewReplay = async (
  deps: Deps,
  id: string,
  { change, cursor, ...choice }: ReplayPreviewRequest,
  actor: Actor,
): Promise<ReplayPreview> => {
  const { db, expressions, now } = deps;
  const pipeline = await pipelineAfter(deps, id, change);
  requireReplayable(pipeline);
  const channel = channelOf(pipeline);
  const rehearsal = rehearseIngest({
    store: deps.telemetry,
    foreseeDevices: (names, sender) => foreseeDevices(db, names, sender),
    clock: now,
    retentionMs: deps.config.retentionMs,
  });
  const tally: Tally = { messages: 0, replayed: 0, rejected: 0, causes: new Map(), samples: [] };

  const tryPart = async (part: readonly RejectedMessage[]): Promise<void> => {
    const found: (Submission | undefined)[] = [];
    // One after another: what is only tried out has few places.
    for (const old of part)
      found.push(await submissionOf(db, pipeline, old, { actor, evaluate: expressions.tryOut }));
    const whole = part.filter((_, index) => found[index] !== undefined);
    const submissions = found.filter((submission) => submission !== undefined);
    const outcomes = await storeMessages({ db, ingest: rehearsal.ingest }, submissions);
    for (const [index, old] of whole.entries()) {
      const stored = outcomes[index]!;
      if ('error' in stored) throw stored.error;
      const { replayed, rejected } = settle(old, stored, channel).outcome;
      tally.replayed += replayed;
      tally.rejected += rejected;
      addCauses(tally, old, causesByReason(stored.causes));
      addSamples(tally, stored.spooled);
    }
    for (const old of part) {
      if (whole.includes(old)) continue;
      tally.rejected += valuesOf(old);
      addCauses(tally, old, [{ reason: 'not-whole', detail: NOT_WHOLE, value_count: valuesOf(old) }]);
    }
    tally.messages += part.length;
  };

  const startedAt = performance.now();
  let next = cursor;
  do {
    const page = await listRejectedMessages(db, id, choice, { limit: MESSAGES_PER_PAGE, cursor: next });
    for (const part of inParts(page.messages)) await tryPart(part);
    next = page.nextCursor ?? undefined;
  } while (next !== undefined && performance.now() - startedAt < ANSWER_MS);
  addSamples(
    tally,
    rehearsal.stored.toSorted((a, b) => a.ts - b.ts),
  );
  return {
    ...tally,
    total: await countRejectedMessages(db, id, choice),
    causes: [...tally.causes.values()].toSorted((a, b) => b.values - a.values),
    nextCursor: next ?? null,
  };
};
