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
import { isObject, type FormatReading, type MessageFormat, type FormatRejection } from './message-format.ts';
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

export type MessageReading = {
  /** The detected format; null: none. */
  readonly format: string | null;
  /** Each sample that is an object has a device. */
  readonly samples: readonly unknown[];
  readonly deviceNames: ReadonlyMap<string, string>;
  readonly rejections: readonly FormatRejection[];
  /** Samples that are rejected because nothing names their device. */
  readonly unnamed?: readonly unknown[];
  /** The expression skipped the message: it has no samples, and nothing is rejected. */
  readonly isSkipped?: boolean;
  /** Number of series whose value is NaN or infinity: neither received nor rejected. Defaults to 0. */
  readonly noValues?: number;
};

/** A part of a large message, with the names of the devices in it. */
export type MessageSlice = Pick<MessageReading, 'format' | 'samples' | 'deviceNames' | 'rejections'>;

/** A message to read. */
export type MessageInput = {
  readonly bytes: Uint8Array;
  /** The device if the message does not name one. */
  readonly device: string | undefined;
  readonly pipelineDevice: string | undefined;
  readonly times: TimeRule;
  /** When the message was received, in epoch ms. */
  readonly nowMs: number;
};

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

/** The number of values in a sample. A sample without readable values counts as one. */
export const valuesIn = (sample: unknown): number =>
  isObject(sample) && isObject(sample['values']) ? Math.max(1, Object.keys(sample['values']).length) : 1;

/** The text of a message, and whether it is JSON; or the rejection if it is empty, not text, or unsafe JSON. */
export const readText = (message: Message): { text: string; isJson: boolean } | MessageReading => {
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
    return rejectMessage(error.reason, error.message);
  }
};

/** What is known about a message besides its content. */
export type Receipt = {
  /** The time of receipt, in epoch ms. */
  readonly nowMs: number;
  /** The default device for formats without devices (Prometheus): the slug of the pipeline. */
  readonly pipelineDevice?: string | undefined;
};

export const noNames: ReadonlyMap<string, string> = new Map();

/** Rejects a message as one value. */
export const rejectMessage = (
  reason: string,
  detail: string,
  format: string | null = null,
): MessageReading => ({
  format,
  samples: [],
  deviceNames: noNames,
  rejections: [{ reason, detail, values: 1 }],
});

/** Assigns a device to each sample, and rejects a message without values. */
export const finishReading = (
  format: string,
  { samples: given, deviceNames = noNames, rejections: before = [], noValues = 0 }: FormatReading,
  device: string | undefined,
): MessageReading => {
  const { samples, unnamed, rejections } = giveDevices(given, device, before.length > 0 || noValues > 0);
  return {
    format,
    samples,
    deviceNames,
    rejections: [...before, ...rejections],
    ...(unnamed.length > 0 && { unnamed }),
    ...(noValues > 0 && { noValues }),
  };
};

/** A message in a known format. `device`: the device of samples that do not name one. */
type Recognised = {
  readonly format: string;
  readonly reading: FormatReading;
  readonly device: string | undefined;
};

/**
 * Detects the format of a message, or rejects the message if it has none. Never throws, whatever the message contains.
 */
export const recogniseMessage = (
  message: Message,
  { nowMs, pipelineDevice }: Receipt,
): Recognised | MessageReading => {
  let json: unknown;
  try {
    const text = textOf(message.bytes);
    const reading = NOT_JSON.test(text) ? prometheusFormat.read(text) : undefined;
    if (reading !== undefined)
      return { format: prometheusFormat.name, reading, device: message.device ?? pipelineDevice };
    json = parse(text);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const shape = error.reason === 'not-json' ? describeText(textOf(message.bytes)) : undefined;
    return rejectMessage(error.reason, shape ?? error.message);
  }
  for (const format of formats) {
    const reading = format.read(json, nowMs);
    if (reading !== undefined) return { format: format.name, reading, device: message.device };
  }
  return rejectMessage('unknown-format', describeJson(json));
};

/**
 * Reads a message in any known format into samples, each with its device. A message that cannot be read counts as one
 * value. Never throws, whatever the message contains.
 */
export const readMessage = (message: Message, receipt: Receipt): MessageReading => {
  if (message.reading !== undefined) return { format: null, deviceNames: noNames, ...message.reading };
  const recognised = recogniseMessage(message, receipt);
  return 'samples' in recognised
    ? recognised
    : finishReading(recognised.format, recognised.reading, recognised.device);
};

const DEVICE_MISSING =
  'No device is named for these values. Penstock looks for a device in the field “device” of the message, the first + of the topic, the query parameter “device” and the configuration of the pipeline, in this order.';

const giveDevices = (
  given: readonly unknown[],
  device: string | undefined,
  isAccountedFor: boolean,
): { samples: unknown[]; unnamed: unknown[]; rejections: FormatRejection[] } => {
  const samples: unknown[] = [];
  const unnamed: unknown[] = [];
  const rejections: FormatRejection[] = [];
  if (given.length === 0 && !isAccountedFor)
    rejections.push({ reason: 'no-values', detail: 'The message contains no samples.', values: 1 });
  for (const sample of given) {
    if (!isObject(sample)) samples.push(sample);
    else if (isObject(sample['values']) && Object.keys(sample['values']).length === 0)
      rejections.push({ reason: 'no-values', detail: 'The message contains no values.', values: 1 });
    else if (sample['device'] !== undefined) samples.push(sample);
    else if (device !== undefined) samples.push({ ...sample, device });
    else {
      unnamed.push(sample);
      rejections.push({ reason: 'device-missing', detail: DEVICE_MISSING, values: valuesIn(sample) });
    }
  }
  return { samples, unnamed, rejections };
};
