import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Refusal } from '../platform/http/refusal.ts';
import type { MessageInput, MessageSlice, ReadLargeMessage } from '../pipelines/formats/read-message.ts';
import type { ReadLargeWrite, WriteInput } from '../telemetry/write/read-telemetry-body.ts';
import type { ReaderAnswer, ReaderInput, ReaderRequest, Unreadable, WriteSlice } from './reader-protocol.ts';

/** Reads bodies that are too large for the main thread in worker threads, slice by slice. */
export type BodyReader = {
  readonly readLargeWrite: ReadLargeWrite;
  readonly readLargeMessage: ReadLargeMessage;
  close(): Promise<void>;
};

/** The main thread reads smaller bodies itself: passing them to a thread takes longer. */
const SMALL_BYTES = 32_768;
const isLarge = (bytes: Uint8Array): boolean => bytes.length > SMALL_BYTES;

const MEDIUM_BYTES = 1_048_576;
/** The heap limit of each thread. Bodies that need more are rejected as too large. */
const HEAP_MB = { medium: 48, large: 160 };
const YOUNG_MB = 8;
/** An idle thread ends after this time, which frees its heap. */
const IDLE_MS = 2_000;

class OutOfMemory extends Error {
  override readonly name = 'OutOfMemory';
}

const describeTooLarge = (what: string): string =>
  `The ${what} contains too many values to fit in memory. Split it and send several.`;

const refusalOf = ({ code, detail, pointer }: Unreadable): Refusal =>
  pointer === undefined ? new Refusal(code, detail) : new Refusal(code, detail, { errors: [pointer] });

/** A thread that reads one input at a time. It starts on demand. */
const createReaderThread = (heapMb: number) => {
  let worker: Worker | undefined;
  let last: Promise<void> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let waiting: { resolve: (answer: ReaderAnswer) => void; reject: (error: Error) => void } | undefined;

  const end = (error: Error) => {
    worker = undefined;
    waiting?.reject(error);
    waiting = undefined;
  };

  const start = (): Worker => {
    const fresh = new Worker(join(import.meta.dirname, 'reader-worker.ts'), {
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB },
    });
    fresh.on('message', (answer: ReaderAnswer) => {
      const asked = waiting;
      waiting = undefined;
      asked?.resolve(answer);
    });
    fresh.on('error', (error: Error & { code?: string }) =>
      end(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? new OutOfMemory('The reader thread ran out of memory.')
          : error,
      ),
    );
    fresh.on('exit', () => {
      if (worker === fresh) end(new Error('The reader thread ended.'));
    });
    return fresh;
  };

  const ask = (request: ReaderRequest): void => {
    clearTimeout(idle);
    worker ??= start();
    worker.postMessage(request);
  };

  const stop = async (): Promise<void> => {
    clearTimeout(idle);
    const ended = worker;
    end(new Error('The reader thread ended.'));
    await ended?.terminate();
  };

  const next = (): Promise<ReaderAnswer> => {
    const answer = new Promise<ReaderAnswer>((resolve, reject) => {
      waiting = { resolve, reject };
    });
    // Awaited only after the previous slice is written.
    answer.catch(() => undefined);
    ask({ ask: 'next' });
    return answer;
  };

  return {
    read: async function* (input: ReaderInput): AsyncGenerator<WriteSlice | MessageSlice> {
      const before = last;
      const mine = Promise.withResolvers<void>();
      last = mine.promise;
      await before;
      let following: Promise<ReaderAnswer> | undefined;
      try {
        ask({ ask: 'open', input });
        let answer = await next();
        while ('slice' in answer) {
          // The next slice is read while this one is written.
          following = next();
          yield answer.slice;
          answer = await following;
        }
        if ('unreadable' in answer) throw refusalOf(answer.unreadable);
        if ('failure' in answer) throw new Error(answer.failure);
      } finally {
        // A late answer must not be mistaken for one to the next input.
        await following?.catch(() => undefined);
        if (worker !== undefined) ask({ ask: 'close' });
        idle = setTimeout(() => void stop(), IDLE_MS).unref();
        mine.resolve();
      }
    },
    close: stop,
  };
};

export const createBodyReader = (): BodyReader => {
  const threads = {
    medium: createReaderThread(HEAP_MB.medium),
    large: createReaderThread(HEAP_MB.large),
  };
  const threadFor = ({ bytes }: ReaderInput) =>
    bytes.length > MEDIUM_BYTES ? threads.large : threads.medium;

  async function* readWrite(given: WriteInput): AsyncGenerator<WriteSlice> {
    const input: ReaderInput = { kind: 'write', ...given };
    try {
      for await (const slice of threadFor(input).read(input)) yield slice as WriteSlice;
    } catch (error) {
      throw error instanceof OutOfMemory ? new Refusal('body-too-large', describeTooLarge('body')) : error;
    }
  }

  async function* readMessage(given: MessageInput): AsyncGenerator<MessageSlice> {
    const input: ReaderInput = { kind: 'message', ...given };
    try {
      for await (const slice of threadFor(input).read(input)) yield slice as MessageSlice;
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error;
      const refused = [{ reason: 'too-large', detail: describeTooLarge('message'), values: 1 }];
      yield { format: null, samples: [], deviceNames: new Map(), refused };
    }
  }

  return {
    readLargeWrite: (input) => (isLarge(input.bytes) ? readWrite(input) : undefined),
    readLargeMessage: (input) => (isLarge(input.bytes) ? readMessage(input) : undefined),
    close: async () => {
      await Promise.all(Object.values(threads).map((thread) => thread.close()));
    },
  };
};
