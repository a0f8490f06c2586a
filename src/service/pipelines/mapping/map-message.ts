import type { Mapping } from '#contract/pipelines.ts';
import type { TimeRule } from '../../telemetry/write/sample-time.ts';
import type { Message } from '../formats/message.ts';
import type { MessageSlice } from '../formats/message-columns.ts';
import type { ReadInto } from '../formats/message-writer.ts';
import { metricFilterOf } from '../formats/metric-filter.ts';
import {
  isOfLearnedTopic,
  readMessage,
  type ReadLargeMessage,
  type Receipt,
} from '../formats/read-message.ts';

/** Maps a message by an expression. Undefined: the expression leaves the message to `auto`. */
export type Evaluate = (expression: string, message: Message) => Promise<ReadInto | undefined>;

type MappingInput = {
  readonly mapping: Mapping;
  readonly receipt: Receipt;
  readonly times: TimeRule;
  readonly evaluate: Evaluate;
  /** Undefined: large messages are read at once. */
  readonly readLargeMessage?: ReadLargeMessage;
};

/** How to read the samples of a message. `slices`: to be used instead of `read`, if the message is too large for it. */
type MappedMessage = {
  readonly read: ReadInto;
  readonly slices: AsyncIterable<MessageSlice> | undefined;
};

/** Maps a message by the expression of a pipeline, or else detects its format. @throws the error of `evaluate` */
export const mapMessage = async (
  message: Message,
  { mapping, receipt, times, evaluate, readLargeMessage }: MappingInput,
): Promise<MappedMessage> => {
  const { bytes, device, topic, rejections } = message;
  const isDetected = mapping.format === 'auto' || rejections !== undefined;
  const read = isDetected ? undefined : await evaluate(mapping.expression ?? '', message);
  if (read !== undefined)
    return {
      read: (writer) => {
        writer.hasTopic = topic !== null;
        writer.metricFilter = metricFilterOf(receipt.metrics);
        writer.receivedAtMs = receipt.nowMs;
        read(writer);
      },
      slices: undefined,
    };
  const { learned, ...plain } = receipt;
  const isReadAtOnce = rejections !== undefined || isOfLearnedTopic(topic, learned);
  return {
    read: (writer) => readMessage(message, receipt, writer),
    slices: isReadAtOnce ? undefined : readLargeMessage?.({ bytes, device, topic, times, ...plain }),
  };
};
