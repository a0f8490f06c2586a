import {
  decodeUtf8,
  parseJson,
  TELEMETRY_JSON_LIMITS,
  UnreadableJson,
} from '../../platform/http/parse-json.ts';
import type { TimeRule } from '../../telemetry/write/sample-time.ts';
import { SHOWN_CHARACTERS, shorten } from '../../platform/shorten.ts';
import type { Message, MessageRejection } from './message.ts';
import { azureIotFormat } from './azure-iot-format.ts';
import { awsShadowFormat } from './aws-shadow-format.ts';
import { chirpstackFormat } from './chirpstack-format.ts';
import { chirpstackV3Format } from './chirpstack-v3-format.ts';
import { collectdFormat, collectdMqttFormat } from './collectd-format.ts';
import { describeJson, describeText } from './describe-shape.ts';
import { flatFormat } from './flat-format.ts';
import type { MessageFormat } from './message-format.ts';
import { linesIn } from './message-lines.ts';
import type { MessageSlice } from './message-columns.ts';
import type { MessageWriter } from './message-writer.ts';
import { isComposite, isObject } from './json-object.ts';
import { heliumFormat } from './helium-format.ts';
import { homeAssistantFormat, isConfigurationTopic, isDiscoveryTopic } from './home-assistant-format.ts';
import { homieFormat, isAttributeTopic, isHomieTopic } from './homie-format.ts';
import type { Learned } from './learned.ts';
import { metricFilterOf, type MetricPatterns } from './metric-filter.ts';
import { milesightFormat } from './milesight-format.ts';
import { openMqttGatewayFormat } from './openmqttgateway-format.ts';
import { neuronFormat } from './neuron-format.ts';
import { graphiteFormat, openTsdbFormat, openTsdbTextFormat } from './opentsdb-format.ts';
import { otlpFormat } from './otlp-format.ts';
import { penstockFormat } from './penstock-format.ts';
import { prometheusFormat } from './prometheus-format.ts';
import { recordsFormat } from './records-format.ts';
import { findRepeatedName } from './repeated-name.ts';
import { rtl433Format } from './rtl433-format.ts';
import { senmlFormat } from './senml-format.ts';
import { shellyFormat, shellyRpcFormat } from './shelly-format.ts';
import { isSparkplugTopic, writeSparkplug } from './sparkplug-format.ts';
import { isStatestreamAttribute, isStatestreamTopic, statestreamFormat } from './statestream-format.ts';
import { tasmotaFormat } from './tasmota-format.ts';
import { telegrafFormat } from './telegraf-format.ts';
import { flespiFormat, teltonikaFormat } from './teltonika-format.ts';
import { thingparkFormat } from './thingpark-format.ts';
import { thingsStackFormat } from './things-stack-format.ts';
import { thingsStackV2Format } from './things-stack-v2-format.ts';
import { thingsboardFormat } from './thingsboard-format.ts';
import { thingsboardGatewayFormat } from './thingsboard-gateway-format.ts';
import { topicObjectFormat, topicValueFormat } from './topic-value-format.ts';
import { zigbee2mqttFormat } from './zigbee2mqtt-format.ts';

/** Formats of topics whose other messages say how to read a message. Their text is never another format. */
const ofLearnedTopics: readonly MessageFormat[] = [homeAssistantFormat, homieFormat, statestreamFormat];
/** Formats that the content identifies. */
const ofContent: readonly MessageFormat[] = [
  thingsboardFormat,
  penstockFormat,
  thingsboardGatewayFormat,
  senmlFormat,
  chirpstackFormat,
  chirpstackV3Format,
  thingsStackFormat,
  thingsStackV2Format,
  thingparkFormat,
  telegrafFormat,
  collectdFormat,
  openTsdbFormat,
  azureIotFormat,
  milesightFormat,
  heliumFormat,
  flespiFormat,
  teltonikaFormat,
  shellyRpcFormat,
  neuronFormat,
  recordsFormat,
  otlpFormat,
];
/** Formats that the topic identifies. */
const ofTopics: readonly MessageFormat[] = [
  zigbee2mqttFormat,
  tasmotaFormat,
  shellyFormat,
  rtl433Format,
  openMqttGatewayFormat,
  awsShadowFormat,
  collectdMqttFormat,
];
/** Those of `ofContent` whose messages can be without lists and nested objects. */
const ofPlainContent: readonly MessageFormat[] = [chirpstackV3Format, flespiFormat, shellyRpcFormat];
/** Whether a message has no list and no nested object, as most messages of devices: few formats need to be tried. */
const isPlain = (content: unknown): boolean =>
  !isComposite(content) || (isObject(content) && !Object.values(content).some(isComposite));

/**
 * Tried in this order. The first format that reads the message is used. `flat` reads nearly any object, so it comes
 * after the other formats of objects.
 */
const withTopic = (ofItsContent: readonly MessageFormat[]): readonly MessageFormat[] => [
  ...ofLearnedTopics,
  ...ofItsContent,
  ...ofTopics,
  topicObjectFormat,
  flatFormat,
  topicValueFormat,
];
const composite = { withTopic: withTopic(ofContent), withoutTopic: [...ofContent, flatFormat] };
const plain = { withTopic: withTopic(ofPlainContent), withoutTopic: [...ofPlainContent, flatFormat] };
/** Most messages have no topic or one below it, where none of these formats applies. */
const OWN_TOPICS = 'v1/devices/';

/** Formats of text. A line of Graphite is Prometheus text too, where its name has no dots. */
const ofText = [openTsdbTextFormat, graphiteFormat, prometheusFormat];

/** Matches the beginning of texts that cannot be a JSON list or object. */
const NOT_JSON = /^\ufeff?\s*[#A-Za-z_:]/;

/** What is known about a message besides its content. */
export type Receipt = {
  /** The time of receipt, in epoch ms. */
  readonly nowMs: number;
  /** The default device for formats without devices (Prometheus): the slug of the pipeline. */
  readonly pipelineDevice?: string | undefined;
  /** The MQTT topic filter of the pipeline. */
  readonly topicFilter?: string | undefined;
  /** What the pipeline learned from earlier messages. Only on the main thread. */
  readonly learned?: Learned | undefined;
  /** Which metrics the pipeline stores. Undefined: all. */
  readonly metrics?: MetricPatterns | undefined;
  /** Mapped samples come from several messages, which may have different values for the same time. */
  readonly isMapped?: boolean;
};

/** A large message to read. */
export type MessageInput = Omit<Receipt, 'learned'> &
  Pick<Message, 'bytes' | 'device' | 'topic'> & { readonly times: TimeRule };

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

const reject = (writer: MessageWriter, reason: string, advice: { detail: string; expression?: string }) =>
  writer.reject({ reason, ...advice, samples: 1 });

/** Calls `read`. Rejects the message if it cannot be read. */
const readOrReject = (message: Message, writer: MessageWriter, read: () => void): void => {
  try {
    read();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const shape = error.reason === 'not-json' ? describeText(textOf(message.bytes)) : undefined;
    reject(writer, error.reason, shape ?? { detail: error.message });
  }
};

/** Longer text is not a value of a topic. */
const VALUE_LENGTH = 1_024;

/**
 * A short text that is not JSON can be the value of its topic: `ON`, `online`. An empty one clears a retained message.
 */
const isValueText = ({ reason }: Unreadable, text: string): boolean =>
  reason === 'empty-message' ||
  (reason === 'not-json' && text.length <= VALUE_LENGTH && !'{["<'.includes(text.charAt(0)));

/** The largest message of a topic that others say how to read: it is read at once. */
const LEARNED_BYTES = 262_144;

/** The longest topic whose messages are read: each sample and each learned name may repeat it. */
const TOPIC_LENGTH = 1_024;

type Content = { readonly content: unknown; readonly lines?: 'ndjson' | 'csv' };

/** The objects in the lines of a text; undefined if it has none. */
const contentOfLines = (text: string): Content | undefined => {
  const found = linesIn(text, parse);
  if (found === undefined) return undefined;
  if ('reason' in found) throw new Unreadable(found.reason, found.detail);
  return { content: found.objects, lines: found.format };
};

/** What formats read: JSON, the objects in lines, or the text of a message that can be the value of its topic. */
const contentOf = (text: string, topic: string | null, isLearned: boolean): Content => {
  try {
    return { content: parse(text) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const lines = error.reason === 'not-json' && !isLearned ? contentOfLines(text) : undefined;
    if (lines !== undefined) return lines;
    const value = text.trim();
    if (topic === null || !isValueText(error, value)) throw error;
    return { content: value };
  }
};

/** Whether other messages say how to read the messages of a topic. They are read at once, and in order. */
export const isOfLearnedTopic = (topic: string | null, learned: Learned | undefined): boolean =>
  (topic !== null && isSparkplugTopic(topic)) ||
  isHomieTopic(topic) ||
  isDiscoveryTopic(topic, learned) ||
  isStatestreamTopic(topic);

/** Whether messages of a topic say how to read others, and hold no samples. */
export const isLearnedFrom = (topic: string): boolean =>
  isAttributeTopic(topic) || isConfigurationTopic(topic) || isStatestreamAttribute(topic);

/** Writes the samples with the first format that reads the message. Returns false, and writes nothing, if none does. */
const writeFirst = <F extends { readonly name: string }>(
  formats: readonly F[],
  writer: MessageWriter,
  write: (format: F) => boolean,
): boolean => {
  for (const format of formats) {
    // Set before it writes: if it throws, the rejection names it.
    writer.format = format.name;
    if (write(format)) return true;
  }
  writer.format = null;
  return false;
};

const repeatedName = (name: string): MessageRejection => ({
  reason: 'duplicate-metric',
  detail: `An object in the message has the name “${shorten(name, SHOWN_CHARACTERS)}” twice. Only the last value is stored. Rename one of them.`,
  samples: 1,
});

/** Detects the format of a message and writes its samples. Rejects a message that has none. */
const writeMessage = (
  message: Message,
  { nowMs, pipelineDevice, topicFilter, learned }: Receipt,
  writer: MessageWriter,
): void => {
  const { bytes, topic, device } = message;
  if (topic !== null && topic.length > TOPIC_LENGTH)
    throw new Unreadable(
      'too-large',
      `The topic has ${topic.length.toLocaleString('en')} characters. The limit is ${TOPIC_LENGTH.toLocaleString('en')} characters. Publish to a shorter topic.`,
    );
  if (topic !== null && isSparkplugTopic(topic))
    return writeSparkplug(bytes, topic, writer, { nowMs, learned });
  const text = textOf(bytes);
  writer.device = device ?? pipelineDevice;
  const isLearned = isOfLearnedTopic(topic, learned);
  if (NOT_JSON.test(text) && !isLearned)
    if (writeFirst(ofText, writer, (format) => format.write(text, writer))) return;
  writer.device = device;
  if (bytes.length > LEARNED_BYTES && isLearned)
    throw new Unreadable(
      'too-large',
      `The limit for messages to this topic is ${LEARNED_BYTES.toLocaleString('en')} bytes.`,
    );
  const { content, lines } = contentOf(text, topic, isLearned);
  const repeated = lines === undefined && isComposite(content) ? findRepeatedName(text, content) : undefined;
  const context = { nowMs, topic, topicFilter, text, learned };
  const formats = isPlain(content) ? plain : composite;
  const tried = topic === null || topic.startsWith(OWN_TOPICS) ? formats.withoutTopic : formats.withTopic;
  if (writeFirst(tried, writer, (format) => format.write(content, writer, context))) {
    writer.format = lines ?? writer.format;
    if (repeated !== undefined && !writer.isSkipped) writer.reject(repeatedName(repeated));
    return;
  }
  if (typeof content === 'string' || lines !== undefined) parse(text);
  reject(writer, 'unknown-format', describeJson(content));
};

/** The device in a topic of a known tool. Names are there only if the filter has no `+`. */
const deviceIn = (topic: string): string | undefined => {
  for (const format of ofTopics) {
    const device = format.deviceIn?.(topic);
    if (device !== undefined) return device;
  }
  return undefined;
};

/**
 * Reads a message in any known format into columns. A message that cannot be read counts as one sample.
 */
export const readMessage = (message: Message, receipt: Receipt, writer: MessageWriter): void => {
  writer.hasTopic = message.topic !== null;
  // Mapped samples were chosen when they were received.
  writer.metricFilter = receipt.isMapped === true ? undefined : metricFilterOf(receipt.metrics);
  if (message.rejections === undefined)
    readOrReject(message, writer, () => writeMessage(message, receipt, writer));
  else for (const rejection of message.rejections) writer.reject(rejection);
  const { topic, device } = message;
  if (topic !== null && device === undefined) writer.nameRejected(() => deviceIn(topic));
  if (!writer.isSkipped) writer.finish(receipt.isMapped === true);
};
