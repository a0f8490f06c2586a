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

export type HandOver = {
  /** Resolves when a message is on disk. What could not be taken is tried until it is, or `signal` ends that; or rejects. */
  give(message: Message): Promise<void>;
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
    reading: { samples: [], refused: [{ reason: 'too-large', detail, values: 1 }] },
  };
};

/** Hands messages of a connection over, many at once, for as long as there is room for them. */
export const createHandOver = (
  take: SourceContext<unknown>['take'],
  signal: AbortSignal,
  { tries = 'until-taken' }: { tries?: 'once' | 'until-taken' } = {},
): HandOver => {
  const under = new Set<Promise<void>>();
  let bytes = 0;

  const isFull = () => under.size >= MAX_MESSAGES || bytes > MAX_BYTES;

  const takePatiently = async (message: Message): Promise<void> => {
    for (;;)
      try {
        await take(message);
        return;
      } catch (error) {
        if (tries === 'once') throw error;
        // The pipeline's health was told why: the store is overloaded or full.
        await delay(RETRY_AFTER_MS, undefined, { signal });
      }
  };

  return {
    give: (message) => {
      const { length } = message.bytes;
      bytes += length;
      const done = takePatiently(readable(message)).finally(() => {
        bytes -= length;
        under.delete(quiet);
      });
      const quiet = done.catch(() => undefined);
      under.add(quiet);
      return done;
    },
    room: async () => {
      while (isFull()) await Promise.race(under);
    },
    settled: async () => {
      await Promise.all(under);
    },
  };
};
