import type { MessageWriter } from './message-writer.ts';

/** A message format. */
export type MessageFormat = {
  readonly name: string;
  /**
   * Writes the samples of a parsed message, which it may empty meanwhile. Returns false, and writes nothing, if the
   * message has another format. `nowMs`: the time of receipt, in epoch ms.
   */
  write(message: unknown, writer: MessageWriter, nowMs: number): boolean;
};
