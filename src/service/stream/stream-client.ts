import type { ServerResponse } from 'node:http';
import type { StreamFrame, StreamKind } from '#contract/stream.ts';

/** The limit of bytes in memory for a client that does not read. */
const MAX_WAITING_BYTES = 1_048_576;
/** Longer text is written to the socket immediately, not at the end of the event loop iteration. */
const BATCH_LENGTH = 65_536;
/** How long a stream that is closed may take to send its last bytes. */
const END_WITHIN_MS = 500;
/** The same for a stream that another one replaces: its frames are sent nowhere else. */
const REPLACE_WITHIN_MS = 30_000;

/** One server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export const frameText = <K extends StreamKind>(kind: K, frame: StreamFrame<K>, id?: string): string =>
  `event: ${kind}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(frame)}\n\n`;

const RESET = frameText('reset', {});
/** The last line of a stream that was replaced: a stream that ends without it may have missed frames. */
const REPLACED = ': replaced\n\n';

export type StreamClient = ReturnType<typeof createStreamClient>;

/**
 * Writes to one client, once per event loop iteration. A client that does not read uses at most MAX_WAITING_BYTES. If
 * more is missed, the client gets one `reset` before later frames, once it has read the waiting bytes.
 */
export const createStreamClient = (response: ServerResponse) => {
  let batch = '';
  let isBehind = false;
  let isClosed = false;

  const writeBatch = (): void => {
    if (batch === '') return;
    const bytes = Buffer.from(batch);
    batch = '';
    const waiting = response.writableLength;
    if (waiting > 0 && waiting + bytes.length > MAX_WAITING_BYTES) isBehind = true;
    else response.write(bytes);
  };

  const send = (text: string): void => {
    if (isBehind || isClosed) return;
    if (batch === '') setImmediate(writeBatch);
    batch += text;
    if (batch.length >= BATCH_LENGTH) writeBatch();
  };

  return {
    send,
    /** Sends a `reset`: frames were missed. */
    reset: (): void => send(RESET),
    /** True while a `reset` is due. */
    isBehind: (): boolean => isBehind,
    /** Sends a due `reset` if the client has read all waiting bytes. */
    catchUp: (): void => {
      if (!isBehind || response.writableLength > 0) return;
      isBehind = false;
      send(RESET);
    },
    waitingBytes: (): number => response.writableLength + batch.length,
    end: ({ isReplaced = false } = {}): void => {
      if (isClosed) return;
      writeBatch();
      isClosed = true;
      if (isReplaced && isBehind) response.write(RESET);
      if (isReplaced) response.write(REPLACED);
      response.end();
      // If the client does not read, the last bytes are never sent.
      const timer = setTimeout(() => response.destroy(), isReplaced ? REPLACE_WITHIN_MS : END_WITHIN_MS);
      response.once('close', () => clearTimeout(timer));
    },
    cutOff: (): void => {
      isClosed = true;
      batch = '';
      response.destroy();
    },
  };
};
