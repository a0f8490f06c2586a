import { parentPort } from 'node:worker_threads';
import { UnreadableBody } from '../telemetry/write/read-telemetry-body.ts';
import type { MessageSlice } from '../pipelines/formats/read-message.ts';
import type { ReaderAnswer, ReaderInput, ReaderRequest, WriteSlice } from './reader-protocol.ts';
import { sliceMessage } from './slice-message.ts';
import { sliceWrite } from './slice-write.ts';

const port = parentPort;
if (port === null) throw new Error('reader-worker.ts runs as a worker thread only.');

let current: Iterator<WriteSlice | MessageSlice> | undefined;

const slicesOf = (input: ReaderInput): Iterable<WriteSlice | MessageSlice> =>
  input.kind === 'write' ? sliceWrite(input) : sliceMessage(input);

const answerNext = (): ReaderAnswer => {
  try {
    const next = current?.next();
    return next === undefined || next.done === true ? { end: true } : { slice: next.value };
  } catch (error) {
    if (error instanceof UnreadableBody) {
      const { message: detail, code, field: pointer } = error;
      return { unreadable: { code, detail, pointer } };
    }
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

port.on('message', (request: ReaderRequest) => {
  if (request.ask === 'open') current = slicesOf(request.input)[Symbol.iterator]();
  else if (request.ask === 'next') port.postMessage(answerNext());
  else current = undefined;
});
