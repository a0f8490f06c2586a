import { setTimeout as delay } from 'node:timers/promises';
import { storableText } from '../../platform/storage/storable-text.ts';
import type { Message } from '../formats/message.ts';
import type { SourceContext } from './source.ts';

/** The limits of messages that are being stored. Above them, no more messages are read. */
const MAX_MESSAGES = 500;
const MAX_BYTES = 16 * 1_048_576;
const RETRY_AFTER_MS = 1_000;

/** Larger messages are rejected. Their beginning is stored with the rejection. */
export const MAX_MESSAGE_BYTES = 5 * 1_048_576;
const KEPT_BYTES = 65_536;

export type InFlightWindow = {
  /** Resolves after a message is on disk. Retries until then, or until `signal` aborts; or rejects. */
  submit(message: Message): Promise<void>;
  /** Resolves when there is room for more. */
  room(): Promise<void>;
  /** Resolves when all submitted messages are on disk or given up. */
  settled(): Promise<void>;
};

/** The message as it can be stored: other servers accept any characters in topics and subjects. */
const storable = (received: Message): Message => {
  const { topic, device } = received;
  const message = {
    ...received,
    topic: topic === null ? null : storableText(topic),
    device: device === undefined ? undefined : storableText(device),
  };
  const { length } = message.bytes;
  if (length <= MAX_MESSAGE_BYTES) return message;
  const detail = `The message has ${length} bytes. The limit is ${MAX_MESSAGE_BYTES} bytes.`;
  return {
    ...message,
    bytes: message.bytes.subarray(0, KEPT_BYTES),
    rejections: [{ reason: 'too-large', detail, samples: 1 }],
  };
};

/** Submits messages of a connection, many at once, as long as there is room. */
export const createInFlightWindow = (
  submit: SourceContext<unknown>['submit'],
  signal: AbortSignal,
  { retry = 'until-stored' }: { retry?: 'once' | 'until-stored' } = {},
): InFlightWindow => {
  const pending = new Set<Promise<void>>();
  let bytes = 0;

  const isFull = () => pending.size >= MAX_MESSAGES || bytes > MAX_BYTES;

  const submitWithRetry = async (message: Message): Promise<void> => {
    for (;;)
      try {
        await submit(message);
        return;
      } catch (error) {
        if (retry === 'once') throw error;
        // The health of the pipeline already shows why: the store is overloaded or full.
        await delay(RETRY_AFTER_MS, undefined, { signal });
      }
  };

  return {
    submit: (message) => {
      const { length } = message.bytes;
      bytes += length;
      const done = submitWithRetry(storable(message)).finally(() => {
        bytes -= length;
        pending.delete(quiet);
      });
      const quiet = done.catch(() => undefined);
      pending.add(quiet);
      return done;
    },
    room: async () => {
      while (isFull()) await Promise.race(pending);
    },
    settled: async () => {
      await Promise.all(pending);
    },
  };
};
