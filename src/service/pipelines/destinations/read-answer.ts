import type { Readable } from 'node:stream';
import { raceAbort } from '../connections/race-abort.ts';

/** Reads the beginning of a response, at most `mostBytes`. Does not wait for the rest. */
export const readAnswer = async (body: Readable, mostBytes: number, signal: AbortSignal): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  const read = async () => {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= mostBytes) return;
    }
  };
  try {
    await raceAbort(read(), signal);
  } finally {
    body.on('error', () => undefined).destroy();
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString();
};
