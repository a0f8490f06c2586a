import type { SkippedMessage } from '#contract/messages.ts';
import { toIsoTime } from '../../platform/iso-time.ts';
import type { Message, Skip } from '../formats/message.ts';
import { keptPartOf, receivedMessageOf } from './last-messages.ts';

/** The last skipped message of each pipeline, in memory: its first 64 KiB. */
export const createSkippedMessages = () => {
  type Skipped = Skip & { readonly message: Message; readonly atMs: number };
  const last = new Map<string, Skipped>();
  return {
    set: (pipelineId: string, message: Message, skipped: Skip & { atMs: number }): void => {
      const { bytes, topic, device } = message;
      last.set(pipelineId, { ...skipped, message: { bytes: keptPartOf(bytes), topic, device } });
    },
    find: (pipelineId: string): SkippedMessage | undefined => {
      const found = last.get(pipelineId);
      if (found === undefined) return undefined;
      const { message, atMs, reason, format } = found;
      return { ...receivedMessageOf(message), at: toIsoTime(atMs), reason, format };
    },
    delete: (pipelineId: string): void => void last.delete(pipelineId),
  };
};
