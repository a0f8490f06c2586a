import type { Origin } from '../../devices/sender.ts';
import type { TimeRule } from '../../telemetry/write/sample-time.ts';
import type { Message } from '../formats/message.ts';
import type { MessageSlice } from '../formats/message-columns.ts';
import type { ReadInto } from '../formats/message-writer.ts';

/** The part of a pipeline that processing its messages needs. */
export type Channel = {
  readonly id: string;
  readonly name: string;
  readonly onUnknownDevice: 'register' | 'reject';
  /** Whether samples go to an external destination through the spool. */
  readonly isSpooled: boolean;
  /** Seconds between two messages of a polled source. */
  readonly expectedInterval: number | undefined;
  /** The default device in the config. */
  readonly device?: string | undefined;
  /** How timestamps are read. */
  readonly times: TimeRule;
};

export type Submission = {
  readonly channel: Channel;
  readonly message: Message;
  readonly origin: Origin;
  /** The time of receipt in epoch ms. It is the timestamp of samples without one, also in a replay. */
  readonly receivedAtMs: number;
  /** For a replay: whether the message was rejected in part, so that some samples are stored, or as a whole. */
  readonly replayOf?: 'part' | 'whole';
  /** Number of samples of the message that the ledger counts already, from earlier slices. */
  readonly countedBefore?: number;
  readonly read: ReadInto;
  /** Reads a large message in a worker thread, slice by slice. Used instead of `read`. */
  readonly readSlices?: () => AsyncIterable<MessageSlice>;
};
