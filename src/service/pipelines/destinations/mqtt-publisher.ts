import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { IClientOptions, IConnackPacket, MqttClient } from 'mqtt';
import type { DestinationOptions } from '#contract/destination-types.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { DeliveryFailure } from './destination.ts';
import { clientOver } from '../connections/mqtt-client.ts';
import { codeOf, fatalReasons, mqttOptions, passingReasons } from '../connections/mqtt-options.ts';
import type { KeptConnection } from './connection-pool.ts';
import { deliveryFailureOf } from './delivery-failure-of.ts';
import type { destinationAddress } from './destination-address.ts';
import { sendInOrder } from './send-in-order.ts';
import { raceAbort } from '../connections/race-abort.ts';

export type MqttMessage = { readonly topic: string; readonly payload: string };
type Address = ReturnType<typeof destinationAddress>;
type Options = Pick<DestinationOptions<'mqtt'>, 'qos' | 'protocol'>;

const END_WITHIN_MS = 2_000;
const MAX_UNACKNOWLEDGED = 100;
/** For QoS 2 in MQTT 3.1.1, which has no receive maximum: brokers disconnect clients with too many open messages. */
const MAX_OPEN_EXCHANGES = 10;

/** MQTT 5, 2.4. */
const NOT_AUTHORIZED = 0x87;
const TOPIC_INVALID = 0x90;
const PACKET_TOO_LARGE = 0x95;
const PAYLOAD_INVALID = 0x99;
const QOS_NOT_SUPPORTED = 0x9b;

/** The DeliveryFailure for a rejected or closed connection. */
const connectionFailure = (host: string, code: number): DeliveryFailure => {
  const fatal = fatalReasons[code];
  if (fatal !== undefined) return new DeliveryFailure('refused', `${host} ${fatal}.`);
  if (code === PACKET_TOO_LARGE || code === PAYLOAD_INVALID) return publishFailure(host, '', 0, code);
  const words = passingReasons[code] ?? `closed the connection (reason ${code})`;
  return new DeliveryFailure('unavailable', `${host} ${words}.`);
};

/** The DeliveryFailure for a rejected message. */
const publishFailure = (host: string, topic: string, qos: number, code: number): DeliveryFailure => {
  if (code === NOT_AUTHORIZED)
    return new DeliveryFailure('refused', `${host} does not allow this user to publish to ${topic}.`);
  if (code === TOPIC_INVALID) return new DeliveryFailure('refused', `${host} rejects the topic ${topic}.`);
  if (code === QOS_NOT_SUPPORTED)
    return new DeliveryFailure('refused', `${host} does not support QoS ${qos}.`);
  if (code === PACKET_TOO_LARGE)
    return new DeliveryFailure('unacceptable', `The message is too large for ${host}.`);
  if (code === PAYLOAD_INVALID)
    return new DeliveryFailure('unacceptable', `${host} rejects the format of the message.`);
  const words = passingReasons[code] ?? `rejected a message (reason ${code})`;
  return new DeliveryFailure('unavailable', `${host} ${words}.`);
};

/** The length of a PUBLISH of QoS 1 or 2 without properties in MQTT 5 (3.3). */
const packetBytes = ({ topic, payload }: MqttMessage): number => {
  const rest = 2 + Buffer.byteLength(topic) + 2 + 1 + Buffer.byteLength(payload);
  const lengthBytes = rest < 128 ? 1 : rest < 16_384 ? 2 : rest < 2_097_152 ? 3 : 4;
  return 1 + lengthBytes + rest;
};

const clientOptions = ({ username, password }: Address, { protocol }: Options): IClientOptions => ({
  ...mqttOptions({ protocol, username, password }),
  // Brokers may reject more than 23 characters (MQTT 3.1.1, 3.1.3.1).
  clientId: `penstock-${randomBytes(7).toString('hex')}`,
  clean: true,
});

/** Aborts when the connection ends, with the first known reason. */
const watch = (client: MqttClient, host: string): AbortSignal => {
  const lost = new AbortController();
  const lose = (failure: DeliveryFailure) => lost.abort(failure);
  client.on('error', (error) => {
    const code = codeOf(error);
    if (code !== undefined) lose(connectionFailure(host, code));
    else
      lose(
        new DeliveryFailure('unavailable', `The connection to ${host} failed: ${error.message}.`, {
          cause: error,
        }),
      );
  });
  client.on('disconnect', ({ reasonCode = 0 }) => lose(connectionFailure(host, reasonCode)));
  client.on('close', () => lose(new DeliveryFailure('unavailable', `${host} closed the connection.`)));
  return lost.signal;
};

export type MqttPublisher = KeptConnection & {
  /** Resolves after all messages are acknowledged (PUBACK, PUBCOMP). @throws DeliveryFailure */
  publish(messages: readonly MqttMessage[], signal: AbortSignal): Promise<void>;
};

/** Connects to a broker with a session that ends with the connection. @throws DeliveryFailure */
export const openMqttPublisher = async (
  outbound: Outbound,
  address: Address,
  options: Options,
  signal: AbortSignal,
): Promise<MqttPublisher> => {
  const { url, hostname, port, host } = address;
  const isTls = /^(mqtts|wss):$/.test(url.protocol);
  const socket = await outbound.connect({ host: hostname, port, isTls }, signal).catch((error: unknown) => {
    throw deliveryFailureOf(error);
  });
  const client = clientOver(socket, url, clientOptions(address, options));
  const lost = watch(client, host);
  const drop = () => {
    // Without a store and a connection, the client sends nothing more.
    client.end(true);
    socket.destroy();
  };
  lost.addEventListener('abort', drop);

  const connected = new Promise<IConnackPacket>((resolve) => client.on('connect', resolve));
  client.connect();
  const { properties: limits = {} } = await raceAbort(connected, signal, lost).catch((error: unknown) => {
    drop();
    throw error;
  });
  if ((limits.maximumQoS ?? 2) < options.qos) {
    drop();
    throw publishFailure(host, '', options.qos, QOS_NOT_SUPPORTED);
  }
  const mostBytes = limits.maximumPacketSize ?? Number.POSITIVE_INFINITY;
  const mostAtOnce = options.protocol === '5' || options.qos === 1 ? MAX_UNACKNOWLEDGED : MAX_OPEN_EXCHANGES;
  const atOnce = Math.min(mostAtOnce, limits.receiveMaximum ?? mostAtOnce);

  return {
    lost,
    drop,
    end: async () => {
      await Promise.race([client.endAsync(), delay(END_WITHIN_MS)]).catch(() => undefined);
      drop();
    },
    publish: async (messages, publishSignal) => {
      if (messages.some((message) => packetBytes(message) > mostBytes))
        throw publishFailure(host, '', options.qos, PACKET_TOO_LARGE);
      const publish = ({ topic, payload }: MqttMessage) =>
        client.publishAsync(topic, payload, { qos: options.qos }).catch((error: unknown) => {
          const code = codeOf(error);
          if (code !== undefined) throw publishFailure(host, topic, options.qos, code);
          throw new DeliveryFailure('unavailable', `${host} closed the connection.`, { cause: error });
        });
      await sendInOrder(messages, atOnce, publish, publishSignal);
    },
  };
};
