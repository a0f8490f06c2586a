import type { Learned } from './learned.ts';
import type { MessageWriter } from './message-writer.ts';

/** What formats know about a message besides its content. */
export type MessageContext = {
  /** The time of receipt, in epoch ms. */
  readonly nowMs: number;
  readonly topic: string | null;
  /** The MQTT topic filter of the pipeline. */
  readonly topicFilter?: string | undefined;
  /** The message before it was parsed. */
  readonly text: string;
  /** What the pipeline learned from earlier messages. The format may add to it. */
  readonly learned?: Learned | undefined;
};

/** A message format. */
export type MessageFormat = {
  readonly name: string;
  /**
   * Writes the samples of a message, which it may empty meanwhile. Returns false, and writes nothing, if the message
   * has another format. The message is parsed JSON. With a topic, it can also be the text of a short message that is
   * not JSON.
   */
  write(message: unknown, writer: MessageWriter, context: MessageContext): boolean;
  /** The name of the device whose samples a topic has, for messages that cannot be read. */
  deviceIn?(topic: string): string | undefined;
};
