import { setTimeout as delay } from 'node:timers/promises';
import type { Message } from '../formats/message.ts';
import type { SourceContext } from './source.ts';

/** How much is on its way to the disk at once; beyond it nothing more is read. */
const MAX_MESSAGES = 500;
const MAX_BYTES = 16 * 1_048_576;
const RETRY_AFTER_MS = 1_000;

/** What is larger is not read: the first of it is kept with the reason. */
export const MAX_MESSAGE_BYTES = 5 * 1_048_576;
const KEPT_BYTES = 65_536;

export type InFlightWindow = {
  /** Resolves when a message is on disk. What could not be taken is tried until it is, or `signal` ends that; or rejects. */
  submit(message: Message): Promise<void>;
  /** Resolves when there is room for more. */
  room(): Promise<void>;
  /** Resolves when all that was given is on disk or given up. */
  settled(): Promise<void>;
};

const readable = (message: Message): Message => {
  const { length } = message.bytes;
  if (length <= MAX_MESSAGE_BYTES) return message;
  const detail = `The message has ${length} bytes; at most ${MAX_MESSAGE_BYTES} are read.`;
  return {
    ...message,
    bytes: message.bytes.subarray(0, KEPT_BYTES),
    reading: { samples: [], rejections: [{ reason: 'too-large', detail, values: 1 }] },
  };
};

/** Hands messages of a connection over, many at once, for as long as there is room for them. */
export const createInFlightWindow = (
  take: SourceContext<unknown>['take'],
  signal: AbortSignal,
  { retry = 'until-taken' }: { retry?: 'once' | 'until-taken' } = {},
): InFlightWindow => {
  const pending = new Set<Promise<void>>();
  let bytes = 0;

  const isFull = () => pending.size >= MAX_MESSAGES || bytes > MAX_BYTES;

  const submitWithRetry = async (message: Message): Promise<void> => {
    for (;;)
      try {
        await take(message);
        return;
      } catch (error) {
        if (retry === 'once') throw error;
        // The pipeline's health was told why: the store is overloaded or full.
        await delay(RETRY_AFTER_MS, undefined, { signal });
      }
  };

  return {
    submit: (message) => {
      const { length } = message.bytes;
      bytes += length;
      const done = submitWithRetry(readable(message)).finally(() => {
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
