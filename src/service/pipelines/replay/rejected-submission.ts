import type { Actor } from '../../platform/http/auth.ts';
import type { IsAwaited } from '../../platform/http/awaited.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { PipelineRow } from '../definition/pipeline-store.ts';
import type { Learned } from '../formats/learned.ts';
import type { ReadLargeMessage } from '../formats/read-message.ts';
import type { Submission } from '../ingest/submission.ts';
import type { Evaluate } from '../mapping/map-message.ts';
import type { RejectedMessage } from '../rejections/rejection-store.ts';
import { findWholeMessage } from '../rejections/whole-message-store.ts';
import { repeatedSubmissions } from './repeated-submission.ts';
import { countRejected } from './settle-replay.ts';

/**
 * The actor of a replay. If `isAwaited` is false, the client has disconnected, and the replay ends after the current
 * messages.
 */
export type ReplayedBy = { actor: Actor; isAwaited: IsAwaited };

/** The bytes of a message as received; undefined if it is not stored whole. */
const bytesOf = async (db: Db, [{ message, message_id, is_whole }]: RejectedMessage) => {
  if (is_whole === 2) return findWholeMessage(db, message_id);
  return is_whole === 1 ? Buffer.from(message) : undefined;
};

/** IDs of the devices that both can write to; null: all. */
const devicesOfBoth = (sender: string | null, actor: readonly string[] | null): readonly string[] | null => {
  if (sender === null) return actor;
  const own = JSON.parse(sender) as string[];
  return actor === null ? own : own.filter((id) => actor.includes(id));
};

/**
 * Creates the submissions for a replay: with the time of receipt and the current pipeline. Undefined for a message that
 * is not stored whole.
 */
export const rejectedSubmissions = (
  db: Db,
  pipeline: PipelineRow,
  {
    actor,
    evaluate,
    readLargeMessage,
    learned,
  }: {
    actor: Actor;
    evaluate: Evaluate;
    readLargeMessage: ReadLargeMessage;
    learned: Learned | undefined;
  },
): ((old: RejectedMessage) => Promise<Submission | undefined>) => {
  const submissionOf = repeatedSubmissions(pipeline, { actor, evaluate, readLargeMessage, learned });
  return async (old) => {
    const [{ topic, device, at, sender_devices, is_mapped, message_values }] = old;
    const bytes = await bytesOf(db, old);
    if (bytes === undefined) return undefined;
    return submissionOf({
      bytes,
      topic,
      device,
      atMs: at,
      // Samples rejected by a destination are mapped already.
      isMapped: is_mapped === 1,
      devices: devicesOfBoth(sender_devices, actor.devices),
      replayOf: message_values > countRejected(old) ? 'part' : 'whole',
    });
  };
};

/** Splits messages, in order: large messages alone, others together. */
export const splitBatch = (batch: readonly RejectedMessage[]): RejectedMessage[][] => {
  const parts: RejectedMessage[][] = [];
  for (const [index, old] of batch.entries()) {
    const isLarge = old[0].is_whole === 2;
    if (index === 0 || isLarge || batch[index - 1]![0].is_whole === 2) parts.push([]);
    parts.at(-1)!.push(old);
  }
  return parts;
};
