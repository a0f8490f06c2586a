import { partyOf, registrantOf } from '../../events/event-store.ts';
import type { Actor } from '../../platform/http/auth.ts';
import { epochMsRule } from '../../telemetry/write/sample-time.ts';
import { configOf, mappingOf, type PipelineRow } from '../definition/pipeline-store.ts';
import type { ReadInto } from '../formats/message-writer.ts';
import type { Message } from '../formats/message.ts';
import { readMessage, type ReadLargeMessage } from '../formats/read-message.ts';
import { channelOf, createDeviceFallback, receiptOf } from '../ingest/pipeline-channel.ts';
import type { Submission } from '../ingest/submission.ts';

/** Maps a message by an expression. Undefined: the expression leaves the message to `auto`. */
export type Evaluate = (expression: string, message: Message) => Promise<ReadInto | undefined>;

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
  }: { actor: Actor; evaluate: Evaluate; readLargeMessage: ReadLargeMessage },
): ((received: ReceivedBefore) => Promise<Submission>) => {
  // The same for all messages.
  const channel = channelOf(pipeline);
  const mapping = mappingOf(pipeline);
  const ofPipeline = receiptOf(pipeline);
  const fallbackDeviceOf = createDeviceFallback(pipeline.type, configOf(pipeline));
  return async ({ bytes, topic, device, atMs, isMapped, devices, replayOf }) => {
    const message: Message = { bytes, topic, device: fallbackDeviceOf({ topic, device }) };
    const times = isMapped ? epochMsRule : channel.times;
    const receipt = { nowMs: atMs, ...ofPipeline, isMapped };
    const evaluated =
      mapping.format === 'auto' || isMapped ? undefined : await evaluate(mapping.expression ?? '', message);
    const slices =
      evaluated === undefined
        ? readLargeMessage({ bytes, topic, device: message.device, times, ...receipt })
        : undefined;
    return {
      channel: { ...channel, times },
      message,
      origin: { actor: partyOf(actor), devices, registrant: registrantOf(actor) },
      receivedAtMs: atMs,
      replayOf,
      read: evaluated ?? ((writer) => readMessage(message, receipt, writer)),
      ...(slices === undefined ? {} : { readSlices: () => slices }),
    };
  };
};
