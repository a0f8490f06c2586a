import { fork } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { siblingProgram } from '../platform/sibling-program.ts';
import type { ReaderAnswer, ReaderRequest } from './reader-protocol.ts';

const PROGRAM = siblingProgram(import.meta.filename, 'reader-worker');
/**
 * A thread reads up to 512 KiB, which never needs this heap: where a thread runs out of memory, V8 may end the whole
 * service. A process that runs out of memory ends alone. Its body is rejected as too large.
 */
const HEAP_MB = { thread: 64, process: 192 };
const YOUNG_MB = 8;

export class OutOfMemory extends Error {
  override readonly name = 'OutOfMemory';
}

/** A thread or a process that reads one input at a time. */
export type ReaderHost = {
  send(request: ReaderRequest): void;
  stop(): Promise<unknown>;
};

type Listener = { onAnswer(answer: ReaderAnswer): void; onEnd(error: Error): void };
export type StartHost = (listener: Listener) => ReaderHost;

/** The bytes of a write move to the thread. Those of a message are kept if it is rejected. */
const buffersOf = (request: ReaderRequest): ArrayBuffer[] => {
  if (request.ask !== 'open' || request.input.kind !== 'write') return [];
  const { buffer, byteLength } = request.input.bytes;
  // A view of a larger buffer is copied: the rest of the buffer belongs to others.
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
};

export const startThread: StartHost = ({ onAnswer, onEnd }) => {
  const worker = new Worker(PROGRAM, {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB.thread, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  worker.on('message', onAnswer);
  worker.on('error', onEnd);
  worker.on('exit', () => onEnd(new Error('The reader thread ended.')));
  return {
    send: (request) => worker.postMessage(request, buffersOf(request)),
    stop: () => worker.terminate(),
  };
};

/** The largest bodies wait, so that other requests are not delayed. */
const yieldToOthers = (pid: number | undefined): void => {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It ended already, or the system has no priorities.
  }
};

/** Nothing of the environment but the folder in which Node keeps compiled code, if it is set. */
const { NODE_COMPILE_CACHE: compileCache } = process.env;
const ENVIRONMENT = compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache };

const withoutBytes = (request: ReaderRequest): ReaderRequest =>
  request.ask === 'open'
    ? {
        ...request,
        input: { ...request.input, bytes: new Uint8Array() },
        bytesFollowing: request.input.bytes.length,
      }
    : request;

export const startProcess = ({ onAnswer, onEnd }: Listener, heapMb = HEAP_MB.process): ReaderHost => {
  const child = fork(PROGRAM, [], {
    env: ENVIRONMENT,
    execArgv: [`--max-old-space-size=${heapMb}`, `--max-semi-space-size=${YOUNG_MB}`],
    serialization: 'advanced',
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  });
  // EPIPE: the process ended, which the listener of `exit` reports.
  child.stdin?.on('error', () => undefined);
  yieldToOthers(child.pid);
  // A process that cannot be started has no exit.
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  child.on('message', (answer) => onAnswer(answer as ReaderAnswer));
  child.on('error', onEnd);
  child.on('exit', () => onEnd(new OutOfMemory('The reader process ended.')));
  return {
    send: (request) => {
      child.send(withoutBytes(request), (error) => {
        if (error !== null) onEnd(error);
      });
      // The process reads the body from a pipe. An IPC message would copy it at once: 20 ms for 20 MiB.
      if (request.ask === 'open') child.stdin?.write(request.input.bytes);
    },
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};
