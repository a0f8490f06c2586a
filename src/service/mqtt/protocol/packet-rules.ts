import type {
  IConnectPacket,
  IPublishPacket,
  ISubscribePacket,
  IUnsubscribePacket,
  Packet,
} from 'mqtt-packet';
import { ProtocolViolation, REASON } from './reason-codes.ts';

/** The limit of levels in a topic, because each level takes time to match. */
const MAX_LEVELS = 100;
const MAX_USER_PROPERTIES = 100;
/** The longest text of the protocol (MQTT 5, 1.5.4). */
const MAX_TEXT_BYTES = 65_535;

const MESSAGE_PROPERTIES = [
  'payloadFormatIndicator',
  'messageExpiryInterval',
  'contentType',
  'responseTopic',
  'correlationData',
  'userProperties',
];
const ACKNOWLEDGEMENT = ['reasonString', 'userProperties'];

/** The properties that a client may send with each packet (MQTT 5, 2.2.2.2). */
const ALLOWED: Partial<Record<Packet['cmd'], readonly string[]>> = {
  connect: [
    'sessionExpiryInterval',
    'receiveMaximum',
    'maximumPacketSize',
    'topicAliasMaximum',
    'requestResponseInformation',
    'requestProblemInformation',
    'userProperties',
    'authenticationMethod',
    'authenticationData',
  ],
  publish: [...MESSAGE_PROPERTIES, 'topicAlias'],
  puback: ACKNOWLEDGEMENT,
  pubrec: ACKNOWLEDGEMENT,
  pubrel: ACKNOWLEDGEMENT,
  pubcomp: ACKNOWLEDGEMENT,
  subscribe: ['subscriptionIdentifier', 'userProperties'],
  unsubscribe: ['userProperties'],
  disconnect: ['sessionExpiryInterval', 'reasonString', 'userProperties'],
};
const WILL_PROPERTIES = [...MESSAGE_PROPERTIES, 'willDelayInterval'];

const malformed = (detail: string) => new ProtocolViolation(REASON.malformedPacket, detail);
const violation = (detail: string) => new ProtocolViolation(REASON.protocolError, detail);

const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');

const checkUserProperties = (properties: object): void => {
  let count = 0;
  for (const [name, value] of Object.entries(properties)) {
    const values = Array.isArray(value) ? value : [value];
    if (!isText(name) || !values.every(isText)) throw malformed('A user property is incomplete.');
    count += values.length;
  }
  if (count > MAX_USER_PROPERTIES)
    throw new ProtocolViolation(
      REASON.quotaExceeded,
      `The packet has ${count} user properties. At most ${MAX_USER_PROPERTIES} are accepted.`,
    );
};

/** mqtt-packet reads any property of any packet, repeated ones as a list, and incomplete ones as null or -1. */
const checkProperties = (properties: object, allowed: readonly string[]): void => {
  for (const [name, value] of Object.entries(properties)) {
    if (!allowed.includes(name)) throw violation(`The property ${name} is not allowed here.`);
    if (name === 'userProperties') checkUserProperties(value);
    else if (Array.isArray(value)) throw violation(`The property ${name} is repeated.`);
    else if (
      value === null ||
      value === undefined ||
      (value === false && name === 'subscriptionIdentifier') ||
      value === -1 ||
      (typeof value === 'string' && !isText(value))
    )
      throw malformed(`The property ${name} is incomplete.`);
  }
};

/** What decoding puts in place of bytes that are not UTF-8. */
const REPLACEMENT = '\uFFFD';

/** The number of replacement characters in a text, or in bytes. */
const countReplacements = (text: string | Buffer): number => {
  let count = 0;
  for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, at + 1)) count += 1;
  return count;
};

/** The number of replacement characters in the texts of a packet, and in its bytes by `ofBytes`. */
const replacementsIn = (value: unknown, ofBytes: (bytes: Buffer) => number): number => {
  if (typeof value === 'string') return countReplacements(value);
  if (Buffer.isBuffer(value)) return ofBytes(value);
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const [key, each] of Object.entries(value))
    count += countReplacements(key) + replacementsIn(each, ofBytes);
  return count;
};

/**
 * Checks that all texts of a packet were UTF-8 (MQTT 5, 1.5.4): their bytes have as many replacement characters as the
 * decoded packet. `bytes`: of the packet. @throws ProtocolViolation
 */
export const checkUtf8 = (packet: Packet, bytes: Buffer): void => {
  if (replacementsIn(packet, () => 0) === 0) return;
  if (replacementsIn(packet, countReplacements) > countReplacements(bytes))
    throw malformed('A string in the packet is not UTF-8.');
};

const levelsOf = (topic: string): number => {
  let levels = 1;
  for (let at = topic.indexOf('/'); at !== -1; at = topic.indexOf('/', at + 1)) levels += 1;
  return levels;
};

/** Why a topic name is invalid (MQTT 5, 4.7); undefined: the name is valid. */
export const topicFault = (topic: string): string | undefined => {
  if (topic === '') return 'The topic is empty.';
  if (/[+#]/.test(topic)) return 'The topic name contains a wildcard (+ or #).';
  if (topic.includes('\0')) return 'The topic contains the character U+0000.';
  // Counting the bytes takes longer than all other checks. A character has at most 3 bytes.
  if (topic.length * 3 > MAX_TEXT_BYTES && Buffer.byteLength(topic) > MAX_TEXT_BYTES)
    return `The topic has more than ${MAX_TEXT_BYTES} bytes.`;
  return levelsOf(topic) > MAX_LEVELS ? `The topic has more than ${MAX_LEVELS} levels.` : undefined;
};

/** Whether a topic filter is valid (MQTT 5, 4.7.1). */
export const isTopicFilter = (filter: string): boolean =>
  filter !== '' &&
  !filter.includes('\0') &&
  levelsOf(filter) <= MAX_LEVELS &&
  filter
    .split('/')
    .every((level, index, { length }) =>
      level.length > 1 ? !/[+#]/.test(level) : level !== '#' || index === length - 1,
    );

const checkId = ({ messageId }: { messageId?: number }): void => {
  if (messageId === undefined || messageId < 1) throw malformed('The packet identifier is missing.');
};

const checkResponseTopic = (responseTopic: string | undefined): void => {
  if (responseTopic !== undefined && topicFault(responseTopic) !== undefined)
    throw violation('The response topic is not a topic name.');
};

const checkConnect = ({ clientId, username = '', will, properties }: IConnectPacket): void => {
  if (!isText(clientId) || !isText(username))
    throw malformed('The client ID or the user name contains the character U+0000.');
  if (properties?.receiveMaximum === 0) throw violation('The Receive Maximum must not be 0.');
  if (properties?.maximumPacketSize === 0) throw violation('The Maximum Packet Size must not be 0.');
  if (properties?.authenticationData !== undefined && properties.authenticationMethod === undefined)
    throw violation('The packet has authentication data without a method.');
  if (will === undefined) return;
  if ((will.qos ?? 0) > 2) throw malformed('The QoS of the will is invalid.');
  const fault = topicFault(will.topic);
  if (fault !== undefined) throw new ProtocolViolation(REASON.topicInvalid, fault);
  if (will.properties === undefined) return;
  checkProperties(will.properties, WILL_PROPERTIES);
  checkResponseTopic(will.properties.responseTopic);
};

const checkPublish = ({ qos, messageId, properties }: IPublishPacket): void => {
  if (qos > 0 && (messageId === undefined || messageId < 1))
    throw malformed('The packet identifier is missing.');
  checkResponseTopic(properties?.responseTopic);
};

const checkSubscribe = (packet: ISubscribePacket): void => {
  checkId(packet);
  if (packet.subscriptions.length === 0) throw violation('The packet has no topic filters.');
  if (packet.properties?.subscriptionIdentifier === 0)
    throw violation('The subscription identifier must not be 0.');
};

const checkUnsubscribe = (packet: IUnsubscribePacket): void => {
  checkId(packet);
  if (packet.unsubscriptions.length === 0) throw violation('The packet has no topic filters.');
};

/** Checks rules of MQTT that mqtt-packet does not check. @throws ProtocolViolation */
export const checkPacket = (packet: Packet): void => {
  if ('properties' in packet && packet.properties !== undefined)
    checkProperties(packet.properties, ALLOWED[packet.cmd] ?? []);
  switch (packet.cmd) {
    case 'connect':
      return checkConnect(packet);
    case 'publish':
      return checkPublish(packet);
    case 'subscribe':
      return checkSubscribe(packet);
    case 'unsubscribe':
      return checkUnsubscribe(packet);
    case 'puback':
    case 'pubrec':
    case 'pubrel':
    case 'pubcomp':
      return checkId(packet);
    default:
      return undefined;
  }
};
