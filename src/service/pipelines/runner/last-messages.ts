import type { ReceivedMessage } from '#contract/received-message.ts';
import type { Message } from '../formats/message.ts';
import type { WholeMessage } from '../ingest/device-message-cache.ts';
import { isShownWhole, KEPT_BYTES, textOf } from '../rejections/rejected-message.ts';
import { toIsoTime } from '../../platform/iso-time.ts';

/** A message as the API shows it. */
export const receivedMessageOf = (message: Message): ReceivedMessage => ({
  message: textOf(message),
  truncated: !isShownWhole(message.bytes),
  topic: message.topic,
  device: message.device ?? null,
});

/** One byte more than is shown, to tell that there was more. A copy, since a view would keep all bytes in memory. */
export const keptPartOf = (bytes: Uint8Array): Uint8Array =>
  bytes.length <= KEPT_BYTES ? bytes : new Uint8Array(bytes.subarray(0, KEPT_BYTES + 1));

/** The last message of each pipeline, in memory. */
export const createLastMessages = () => {
  const last = new Map<string, { message: Message; atMs: number }>();
  return {
    set: (pipelineId: string, message: Message, atMs: number): void => {
      const { bytes, topic, device } = message;
      last.set(pipelineId, { message: { bytes: keptPartOf(bytes), topic, device }, atMs });
    },
    find: (pipelineId: string): (ReceivedMessage & { at: string }) | undefined => {
      const found = last.get(pipelineId);
      if (found === undefined) return undefined;
      return { ...receivedMessageOf(found.message), at: toIsoTime(found.atMs) };
    },
    /** Undefined if only a part of the message is kept. */
    findWhole: (pipelineId: string): WholeMessage | undefined => {
      const found = last.get(pipelineId);
      if (found === undefined || found.message.bytes.length > KEPT_BYTES) return undefined;
      return { ...found.message, atMs: found.atMs };
    },
    delete: (pipelineId: string): void => void last.delete(pipelineId),
  };
};
