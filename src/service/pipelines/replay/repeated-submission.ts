import { partyOf } from '../../events/event-store.ts';
import { actorGroupOf, type Actor } from '../../platform/http/auth.ts';
import { epochMsRule } from '../../telemetry/write/sample-time.ts';
import { configOf, mappingOf, type PipelineRow } from '../definition/pipeline-store.ts';
import type { Learned } from '../formats/learned.ts';
import type { Message } from '../formats/message.ts';
import type { ReadLargeMessage } from '../formats/read-message.ts';
import { channelOf, createDeviceFallback, receiptOf } from '../ingest/pipeline-channel.ts';
import type { Submission } from '../ingest/submission.ts';
import { mapMessage, type Evaluate } from '../mapping/map-message.ts';

/** A message that was received before. */
type ReceivedBefore = Pick<Message, 'bytes' | 'topic'> & {
  readonly device: string | null | undefined;
  /** The time of receipt, in epoch ms. */
  readonly atMs: number;
  /** Whether the bytes are samples in the Penstock format, mapped when they were received. */
  readonly isMapped: boolean;
  /** IDs of the devices that the message may write to; null: all. */
  readonly devices: readonly string[] | null;
  readonly replayOf: NonNullable<Submission['replayOf']>;
};

/** Creates the submissions of messages that are processed again: with the time of receipt, for the pipeline given here. */
export const repeatedSubmissions = (
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
): ((received: ReceivedBefore) => Promise<Submission>) => {
  // The same for all messages.
  const channel = channelOf(pipeline);
  const mapping = mappingOf(pipeline);
  const ofPipeline = receiptOf(pipeline);
  const fallbackDeviceOf = createDeviceFallback(pipeline.type, configOf(pipeline));
  return async ({ bytes, topic, device, atMs, isMapped, devices, replayOf }) => {
    const message: Message = { bytes, topic, device: fallbackDeviceOf({ topic, device }) };
    const times = isMapped ? epochMsRule : channel.times;
    const { read, slices } = await mapMessage(message, {
      mapping: isMapped ? { format: 'auto' } : mapping,
      receipt: { nowMs: atMs, ...ofPipeline, isMapped, learned },
      times,
      evaluate,
      readLargeMessage,
    });
    return {
      channel: { ...channel, times },
      message,
      origin: { actor: partyOf(actor), devices, registrant: actorGroupOf(actor) },
      receivedAtMs: atMs,
      replayOf,
      read,
      ...(slices === undefined ? {} : { readSlices: () => slices }),
    };
  };
};
