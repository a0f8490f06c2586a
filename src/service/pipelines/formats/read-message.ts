import {
  decodeUtf8,
  parseJson,
  TELEMETRY_JSON_LIMITS,
  UnreadableJson,
} from '../../platform/http/parse-json.ts';
import type { TimeRule } from '../../telemetry/write/sample-time.ts';
import type { Message } from './message.ts';
import { chirpstackFormat } from './chirpstack-format.ts';
import { describeJson, describeText } from './describe-shape.ts';
import { flatFormat } from './flat-format.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageSlice, MessageWriter } from './message-writer.ts';
import { penstockFormat } from './penstock-format.ts';
import { prometheusFormat } from './prometheus-format.ts';
import { senmlFormat } from './senml-format.ts';
import { thingsStackFormat } from './things-stack-format.ts';
import { thingsboardFormat } from './thingsboard-format.ts';
import { thingsboardGatewayFormat } from './thingsboard-gateway-format.ts';

/**
 * Tried in this order. The first format that reads the message is used. `flat` reads nearly any object, so it is last.
 */
const formats: readonly MessageFormat[] = [
  thingsboardFormat,
  penstockFormat,
  thingsboardGatewayFormat,
  senmlFormat,
  chirpstackFormat,
  thingsStackFormat,
  flatFormat,
];

/** Matches the beginning of texts that cannot be a JSON list or object. */
const NOT_JSON = /^\ufeff?\s*[#A-Za-z_:]/;

/** What is known about a message besides its content. */
export type Receipt = {
  /** The time of receipt, in epoch ms. */
  readonly nowMs: number;
  /** The default device for formats without devices (Prometheus): the slug of the pipeline. */
  readonly pipelineDevice?: string | undefined;
  /** Mapped samples come from several messages, which may have different values for the same time. */
  readonly isMapped?: boolean;
};

/** A large message to read. */
export type MessageInput = Receipt & Pick<Message, 'bytes' | 'device'> & { readonly times: TimeRule };

/**
 * Reads a message slice by slice if it is too large to read at once, otherwise returns undefined. A message that cannot
 * be read has one slice, with its rejection.
 */
export type ReadLargeMessage = (input: MessageInput) => AsyncIterable<MessageSlice> | undefined;

class Unreadable extends Error {
  readonly reason: string;

  constructor(reason: string, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

const textOf = (bytes: Uint8Array): string => {
  const text = decodeUtf8(bytes);
  if (text === undefined)
    throw new Unreadable('not-text', 'The message is not UTF-8 text. Send JSON or Prometheus text.');
  return text;
};

const parse = (text: string): unknown => {
  try {
    return parseJson(text, TELEMETRY_JSON_LIMITS);
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    const reason = error.reason === 'empty' ? 'empty-message' : error.reason;
    throw new Unreadable(reason, `The message ${error.message}.`);
  }
};

/** The text of a message, and whether it is JSON; or the rejection if it is empty, not text, or unsafe JSON. */
export const readText = (
  message: Message,
): { text: string; isJson: boolean } | { reason: string; detail: string } => {
  try {
    const text = textOf(message.bytes).replace(/^\ufeff/, '');
    try {
      parse(text);
      return { text, isJson: true };
    } catch (error) {
      if (error instanceof Unreadable && error.reason === 'not-json') return { text, isJson: false };
      throw error;
    }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { reason: error.reason, detail: error.message };
  }
};

/** Detects the format of a message and writes its samples. Rejects a message that has none. */
const writeMessage = (message: Message, { nowMs, pipelineDevice }: Receipt, writer: MessageWriter): void => {
  const reject = (reason: string, advice: { detail: string; expression?: string }) =>
    writer.reject({ reason, ...advice, samples: 1 });
  let json: unknown;
  try {
    const text = textOf(message.bytes);
    writer.device = message.device ?? pipelineDevice;
    if (NOT_JSON.test(text) && prometheusFormat.write(text, writer)) {
      writer.format = prometheusFormat.name;
      return;
    }
    json = parse(text);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const shape = error.reason === 'not-json' ? describeText(textOf(message.bytes)) : undefined;
    return reject(error.reason, shape ?? { detail: error.message });
  }
  writer.device = message.device;
  writer.format = formats.find((format) => format.write(json, writer, nowMs))?.name ?? null;
  if (writer.format === null) reject('unknown-format', describeJson(json));
};

/**
 * Reads a message in any known format into columns. A message that cannot be read counts as one sample. Never throws,
 * whatever the message contains.
 */
export const readMessage = (message: Message, receipt: Receipt, writer: MessageWriter): void => {
  if (message.rejections === undefined) writeMessage(message, receipt, writer);
  else for (const rejection of message.rejections) writer.reject(rejection);
  writer.finish(receipt.isMapped === true);
};
