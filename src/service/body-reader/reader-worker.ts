import { once } from 'node:events';
import { parentPort } from 'node:worker_threads';
import { UnreadableBody } from '../telemetry/write/unreadable-body.ts';
import type { MessageSlice } from '../pipelines/formats/message-columns.ts';
import type { ReaderAnswer, ReaderInput, ReaderRequest, WriteSlice } from './reader-protocol.ts';
import { sliceMessage } from './slice-message.ts';
import { sliceWrite } from './slice-write.ts';

/** Runs as a worker thread or as a process. */
const sendAnswer = (answer: ReaderAnswer): void => {
  if (parentPort === null) process.send?.(answer);
  else parentPort.postMessage(answer, 'slice' in answer ? buffersOf(answer.slice) : []);
};

/** Columns move to the main thread instead of being copied. */
const buffersOf = (slice: WriteSlice | MessageSlice): ArrayBuffer[] => {
  const reading = 'reading' in slice ? slice.reading : slice;
  if (reading === undefined) return [];
  const { series, index, groupOf, positionOf = groupOf, ts, cells } = reading;
  const columns = [series.device, series.metric, series.kind, index, groupOf, positionOf, ts, cells];
  const buffers = new Set(columns.map(({ buffer }) => buffer));
  return [...buffers].filter((buffer) => buffer instanceof ArrayBuffer);
};

/** Held only until its first slice is read, so that its memory can be freed. */
let opened: ReaderInput | undefined;
let current: Slices | undefined;

/** The last slice may be returned. */
type Slices = Iterator<WriteSlice | MessageSlice, WriteSlice | MessageSlice | undefined>;

const slicesOf = (input: ReaderInput): Slices =>
  input.kind === 'write' ? sliceWrite(input) : sliceMessage(input);

const answerNext = (): ReaderAnswer => {
  try {
    const input = opened;
    opened = undefined;
    if (input !== undefined) current = slicesOf(input);
    const next = current?.next();
    return next?.value === undefined ? { end: true } : { slice: next.value, isLast: next.done === true };
  } catch (error) {
    if (error instanceof UnreadableBody) {
      const { message: detail, code, field } = error;
      return { unreadable: { code, detail, field } };
    }
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

const readInput = async (length: number): Promise<Uint8Array> => {
  const { stdin } = process;
  const bytes = new Uint8Array(length);
  for (let filled = 0; filled < length;) {
    if (stdin.readableLength === 0) await once(stdin, 'readable');
    const chunk = stdin.read(Math.min(stdin.readableLength, length - filled)) as Buffer | null;
    bytes.set(chunk ?? [], filled);
    filled += chunk?.length ?? 0;
  }
  return bytes;
};

const handle = async (request: ReaderRequest): Promise<void> => {
  if (request.ask === 'open') {
    const { input, bytesFollowing } = request;
    opened = bytesFollowing === undefined ? input : { ...input, bytes: await readInput(bytesFollowing) };
  } else if (request.ask === 'next') sendAnswer(answerNext());
  else opened = current = undefined;
};

let handled = Promise.resolve();
(parentPort ?? process).on('message', (request: ReaderRequest) => {
  handled = handled.then(() => handle(request));
});

// The service ended without stopping this process.
process.on('disconnect', () => process.exit());
