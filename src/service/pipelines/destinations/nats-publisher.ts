import { setTimeout as delay } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { errors, type NatsConnection } from '@nats-io/transport-node';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { DeliveryFailure } from './destination.ts';
import { connectToNats } from '../connections/nats-connection.ts';
import type { KeptConnection } from './connection-pool.ts';
import type { destinationAddress } from './destination-address.ts';
import { natsConnectFailure, natsPublishFailure } from './nats-failure.ts';
import { sendInOrder } from './send-in-order.ts';

/** `id`: the message ID by which the stream recognises duplicates. */
export type NatsMessage = { readonly id: string; readonly subject: string; readonly payload: string };

const END_WITHIN_MS = 2_000;
/** Longer than the timeout of a delivery, which ends first. */
const ACKNOWLEDGE_WITHIN_MS = 300_000;
const LOOK_WITHIN_MS = 5_000;
const MAX_UNACKNOWLEDGED = 250;

/** The size of a message as the server counts it: headers and payload. */
const messageBytes = ({ id, payload }: NatsMessage): number =>
  Buffer.byteLength(`NATS/1.0\r\nNats-Msg-Id: ${id}\r\n\r\n`) + Buffer.byteLength(payload);

/** Aborts when the connection ends. */
const watch = (connection: NatsConnection, host: string): AbortSignal => {
  const lost = new AbortController();
  const wait = async () => {
    await connection.closed();
    lost.abort(new DeliveryFailure('unavailable', `${host} closed the connection.`));
  };
  void wait();
  return lost.signal;
};

export type NatsPublisher = KeptConnection & {
  /** Resolves after a stream has stored all messages. @throws DeliveryFailure */
  publish(messages: readonly NatsMessage[], signal: AbortSignal): Promise<void>;
  /** The names of the streams that store a subject. @throws DeliveryFailure without JetStream, or errors of the client */
  listStreams(subject: string): Promise<string[]>;
};

/** @throws DeliveryFailure */
export const openNatsPublisher = async (
  outbound: Outbound,
  { url, host, username, password }: ReturnType<typeof destinationAddress>,
  token: string | undefined,
  signal: AbortSignal,
): Promise<NatsPublisher> => {
  const access = { username, password, token };
  const connection = await connectToNats({ outbound, url, access }, signal).catch((error: unknown) => {
    throw natsConnectFailure(host, access, error);
  });
  const stream = jetstream(connection, { timeout: ACKNOWLEDGE_WITHIN_MS });
  const drop = () => void connection.close().catch(() => undefined);

  const publish = async ({ id, subject, payload }: NatsMessage) => {
    const stored = await stream.publish(subject, payload, { msgID: id }).catch((error: unknown) => {
      throw natsPublishFailure(host, subject, access, error);
    });
    // Any subscriber of the subject can answer.
    if (typeof stored.stream !== 'string' || typeof stored.seq !== 'number')
      throw new DeliveryFailure(
        'refused',
        `${host}: the subscriber that answers for ${subject} is not a stream.`,
      );
  };

  return {
    lost: watch(connection, host),
    drop,
    end: async () => {
      await Promise.race([connection.drain(), delay(END_WITHIN_MS)]).catch(() => undefined);
      drop();
    },
    publish: async (messages, publishSignal) => {
      const most = connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
      if (messages.some((message) => messageBytes(message) > most))
        throw new DeliveryFailure('unacceptable', `${host} accepts messages of at most ${most} bytes.`);
      await sendInOrder(messages, MAX_UNACKNOWLEDGED, publish, publishSignal);
    },
    listStreams: async (subject) => {
      const manager = await jetstreamManager(connection, { checkAPI: false, timeout: LOOK_WITHIN_MS });
      const names: string[] = [];
      try {
        for await (const name of manager.streams.names(subject)) names.push(name);
      } catch (error) {
        if (error instanceof Error && error.cause instanceof errors.NoRespondersError)
          throw new DeliveryFailure('refused', `JetStream is disabled on ${host}. Enable it.`, {
            cause: error,
          });
        throw error;
      }
      return names;
    },
  };
};
