import { createPause } from '../platform/event-loop.ts';
import { HttpProblem } from '../platform/http/http-problem.ts';
import { noSlice, type MessageSlice } from '../pipelines/formats/message-columns.ts';
import type { MessageInput, ReadLargeMessage } from '../pipelines/formats/read-message.ts';
import type { ReadLargeWrite, WriteInput } from '../telemetry/write/read-telemetry-body.ts';
import { unreadableProblem } from '../telemetry/write/store-write.ts';
import { OutOfMemory, startProcess, startThread, type ReaderHost, type StartHost } from './reader-hosts.ts';
import type { ReaderAnswer, ReaderInput, ReaderRequest, WriteSlice } from './reader-protocol.ts';

/** Reads bodies that are too large for the main thread in a worker thread or a process, slice by slice. */
export type BodyReader = {
  readonly readLargeWrite: ReadLargeWrite;
  readonly readLargeMessage: ReadLargeMessage;
  close(): Promise<void>;
};

/** The main thread reads smaller bodies itself: passing them to a thread takes longer. */
const SMALL_BYTES = 32_768;

/** The size of an input while it is read, in bytes. */
const sizeOf = (input: WriteInput | MessageInput): number =>
  'uncompressedBytes' in input ? Math.max(input.bytes.length, input.uncompressedBytes) : input.bytes.length;
const isLarge = (input: WriteInput | MessageInput): boolean => sizeOf(input) > SMALL_BYTES;

const MEDIUM_BYTES = 524_288;
/** A host that takes longer for a slice has almost no heap left: it spends its time collecting garbage. */
const SLICE_TIMEOUT_MS = 30_000;
/** An idle host ends after this time, which frees its heap. */
const IDLE_MS = 2_000;

const describeTooLarge = (what: string): string =>
  `The ${what} contains too many samples to fit in memory. Split it into several.`;

/** Reads one input at a time. Its host starts on demand. */
const createReader = (startHost: StartHost) => {
  let host: ReaderHost | undefined;
  let last: Promise<void> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let waiting: { resolve: (answer: ReaderAnswer) => void; reject: (error: Error) => void } | undefined;

  const end = (error: Error) => {
    host = undefined;
    waiting?.reject(error);
    waiting = undefined;
  };

  const start = (): ReaderHost => {
    const fresh = startHost({
      onAnswer: (answer) => {
        // A host that was stopped may still answer.
        if (host !== fresh) return;
        const asked = waiting;
        waiting = undefined;
        asked?.resolve(answer);
      },
      onEnd: (error) => {
        if (host === fresh) end(error);
      },
    });
    return fresh;
  };

  const ask = (request: ReaderRequest): void => {
    clearTimeout(idle);
    host ??= start();
    host.send(request);
  };

  const stop = async (error = new Error('The reader was stopped.')): Promise<void> => {
    clearTimeout(idle);
    const ended = host;
    end(error);
    await ended?.stop();
  };

  const next = (): Promise<ReaderAnswer> => {
    const answer = new Promise<ReaderAnswer>((resolve, reject) => {
      waiting = { resolve, reject };
    });
    const timer = setTimeout(
      () => void stop(new OutOfMemory('The reader timed out.')),
      SLICE_TIMEOUT_MS,
    ).unref();
    // Awaited only after the previous slice is written.
    answer.finally(() => clearTimeout(timer)).catch(() => undefined);
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
      let isReleased = false;
      const release = async (): Promise<void> => {
        if (isReleased) return;
        isReleased = true;
        // A late answer must not be mistaken for one to the next input.
        await following?.catch(() => undefined);
        if (host !== undefined) ask({ ask: 'close' });
        idle = setTimeout(() => void stop(), IDLE_MS).unref();
        mine.resolve();
      };
      try {
        ask({ ask: 'open', input });
        let answer = await next();
        const pause = createPause();
        while ('slice' in answer && !answer.isLast) {
          // The next slice is read while this one is written.
          following = next();
          yield answer.slice;
          await pause();
          answer = await following;
        }
        if ('unreadable' in answer) throw unreadableProblem(answer.unreadable);
        if ('failure' in answer) throw new Error(answer.failure);
        // The next input is read while the last slice is written.
        await release();
        if ('slice' in answer) yield answer.slice;
      } finally {
        await release();
      }
    },
    close: () => stop(),
  };
};

/** `heapMb`: the heap limit of the process for the largest bodies. */
export const createBodyReader = ({ heapMb }: { heapMb?: number } = {}): BodyReader => {
  const readers = {
    medium: createReader(startThread),
    large: createReader((listener) => startProcess(listener, heapMb)),
  };
  const readerFor = (input: ReaderInput) => (sizeOf(input) > MEDIUM_BYTES ? readers.large : readers.medium);

  async function* readWrite(given: WriteInput): AsyncGenerator<WriteSlice> {
    const input: ReaderInput = { kind: 'write', ...given };
    try {
      for await (const slice of readerFor(input).read(input)) yield slice as WriteSlice;
    } catch (error) {
      throw error instanceof OutOfMemory
        ? new HttpProblem('body-too-large', describeTooLarge('body'))
        : error;
    }
  }

  async function* readMessage(given: MessageInput): AsyncGenerator<MessageSlice> {
    const input: ReaderInput = { kind: 'message', ...given };
    try {
      for await (const slice of readerFor(input).read(input)) yield slice as MessageSlice;
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error;
      const rejections = [{ reason: 'too-large', detail: describeTooLarge('message'), samples: 1 }];
      yield { ...noSlice, rejections };
    }
  }

  return {
    readLargeWrite: (input) => (isLarge(input) ? readWrite(input) : undefined),
    readLargeMessage: (input) => (isLarge(input) ? readMessage(input) : undefined),
    close: async () => {
      await Promise.all(Object.values(readers).map((reader) => reader.close()));
    },
  };
};
