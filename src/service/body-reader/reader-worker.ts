import { parentPort } from 'node:worker_threads';
import { UnreadableBody } from '../telemetry/write/read-telemetry-body.ts';
import type { MessageSlice } from '../pipelines/formats/message-writer.ts';
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
  const { series, index, sampleOf, positionOf = sampleOf, ts, cells } = reading;
  const columns = [series.device, series.metric, series.kind, index, sampleOf, positionOf, ts, cells];
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
      const { message: detail, code, field: pointer } = error;
      return { unreadable: { code, detail, pointer } };
    }
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

(parentPort ?? process).on('message', (request: ReaderRequest) => {
  if (request.ask === 'open') opened = request.input;
  else if (request.ask === 'next') sendAnswer(answerNext());
  else opened = current = undefined;
});

// The service ended without stopping this process.
process.on('disconnect', () => process.exit());
