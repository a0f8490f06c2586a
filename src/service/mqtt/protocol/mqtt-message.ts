import type { IPublishPacket, QoS } from 'mqtt-packet';

/** Properties of a message that subscribers receive unchanged (MQTT 5, 3.3.2.3). */
export type MessageProperties = Pick<
  NonNullable<IPublishPacket['properties']>,
  'payloadFormatIndicator' | 'responseTopic' | 'correlationData' | 'userProperties' | 'contentType'
>;

/** An application message. */
export type Message = {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: QoS;
  readonly retain: boolean;
  readonly properties?: MessageProperties | undefined;
  /** Epoch ms; undefined: never. */
  readonly expiresAtMs?: number | undefined;
};

const propertyBytes = ({
  responseTopic = '',
  contentType = '',
  correlationData,
  userProperties = {},
}: MessageProperties): number =>
  Object.entries(userProperties)
    .flat(2)
    .reduce((sum, text) => sum + text.length, responseTopic.length + contentType.length) +
  (correlationData?.length ?? 0);

/** The approximate size of a message in memory. */
export const bytesOf = ({ topic, payload, properties }: Message): number =>
  topic.length + payload.length + (properties === undefined ? 0 : propertyBytes(properties));

/** A copy whose payload does not keep the network buffer that it arrived in. */
export const detached = (message: Message): Message => ({
  ...message,
  payload: Buffer.from(message.payload),
});

export const isExpired = ({ expiresAtMs }: Message, nowMs: number): boolean =>
  expiresAtMs !== undefined && expiresAtMs <= nowMs;

/** Properties as JSON text for a database; null: none. */
export const encodeProperties = (properties: MessageProperties | undefined): string | null =>
  properties === undefined
    ? null
    : JSON.stringify({ ...properties, correlationData: properties.correlationData?.toString('base64') });

export const decodeProperties = (text: string | null): MessageProperties | undefined => {
  if (text === null) return undefined;
  const { correlationData, ...rest } = JSON.parse(text) as MessageProperties & { correlationData?: string };
  return correlationData === undefined
    ? rest
    : { ...rest, correlationData: Buffer.from(correlationData, 'base64') };
};

/** The message of a PUBLISH or a will. `topic`: after the topic alias was resolved. */
export const messageOf = (
  topic: string,
  {
    payload,
    qos = 0,
    retain = false,
    properties,
  }: Pick<IPublishPacket, 'payload' | 'properties'> & Partial<IPublishPacket>,
  nowMs: number,
): Message => {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  if (properties === undefined) return { topic, payload: bytes, qos, retain };
  const { messageExpiryInterval, topicAlias: _, ...forwarded } = properties;
  return {
    topic,
    payload: bytes,
    qos,
    retain,
    ...(Object.keys(forwarded).length > 0 && { properties: forwarded }),
    ...(messageExpiryInterval !== undefined && { expiresAtMs: nowMs + messageExpiryInterval * 1_000 }),
  };
};

/** The PUBLISH of a message. `identifiers`: of the matching subscriptions. */
export const publishPacket = (
  { topic, payload, qos, retain, properties, expiresAtMs }: Message,
  identifiers: readonly number[],
  messageId: number,
  dup: boolean,
  { version, nowMs }: { version: number; nowMs: number },
): IPublishPacket => {
  const packet: IPublishPacket = { cmd: 'publish', topic, payload, qos, retain, dup };
  if (qos > 0) packet.messageId = messageId;
  if (version !== 5) return packet;
  if (properties !== undefined || expiresAtMs !== undefined || identifiers.length > 0)
    packet.properties = {
      ...properties,
      ...(expiresAtMs !== undefined && {
        messageExpiryInterval: Math.max(Math.ceil((expiresAtMs - nowMs) / 1_000), 1),
      }),
      ...(identifiers.length > 0 && { subscriptionIdentifier: [...identifiers] }),
    };
  return packet;
};
