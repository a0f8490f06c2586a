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

/** Roughly what a message takes in memory. */
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
