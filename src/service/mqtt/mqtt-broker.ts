import { Aedes, type Client, type PublishPacket } from 'aedes';
import { writeToStream } from 'mqtt-packet';
import { callbackify } from 'node:util';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { KeyActivityLog } from '../access/key-activity.ts';
import type { KeyUsage } from '../access/key-usage.ts';
import { partyOf, type Transact } from '../events/event-store.ts';
import { toError } from '../platform/to-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { Authenticator, FailureLimit } from '../platform/http/auth.ts';
import type { LiveBus } from '../platform/live-bus.ts';
import type { Db } from '../platform/storage/database.ts';
import type { Timeouts } from '../platform/timeouts.ts';
import { listenForMqtt, type BrokerStatus, type MqttListenOptions } from './listen-for-mqtt.ts';
import { findActiveKeys } from '../access/active-keys.ts';
import { createMqttRejectionLog, type MqttRejection } from './mqtt-rejection-log.ts';
import {
  authenticateMqtt,
  canReceive,
  ConnectRefused,
  fullTopic,
  permitPublish,
  type MqttIdentity,
} from './mqtt-permissions.ts';
import type { Origin } from '../devices/sender.ts';
import type { MqttRouting } from './mqtt-routing.ts';
import { guardPackets } from './packet-guard.ts';
import { createRetainedBudget } from './retained-budget.ts';
import { createTopicRoutes } from './topic-routes.ts';
import { createUnroutedRecorder } from './unrouted-recorder.ts';

export type MqttBroker = MqttRouting & {
  /** Starts listening. Call this after every pipeline has added its routes: earlier messages would be unrouted. */
  listen(): Promise<void>;
  /** Stops accepting messages. Accepted messages are still acknowledged until `close`. */
  stopAccepting(): void;
  close(): Promise<void>;
};

/** The size limits of a message, and of packets before authentication. */
const MAX_MESSAGE_BYTES = 262_144;
const MAX_CONNECT_BYTES = 16_384;
/** The largest number of unauthenticated connections. */
const MAX_UNAUTHENTICATED = 2_000;

type Connection = { client: Client; identity: MqttIdentity; address: string; origin: Origin };

// The cache takes 18 MiB, and saves no time that could be measured.
writeToStream.cacheNumbers = false;

class PublishRefused extends Error {
  readonly reason: string;

  constructor(reason: string, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

const addressOf = (client: Client): string =>
  ('remoteAddress' in client.conn && client.conn.remoteAddress) || '';

/** No client can subscribe to this topic. Messages for pipelines only are published to it. */
const PRIVATE_TOPIC = '$private';

type MqttBrokerDependencies = {
  listen: MqttListenOptions;
  /** What to do with a message that matches no pipeline. */
  unroutedMessages: 'record' | 'refuse';
  db: Db;
  transact: Transact;
  live: Pick<LiveBus, 'subscribe'>;
  log: Logger;
  now: () => number;
  clock: Pick<Clock, 'elapsed'>;
  authenticator: Authenticator;
  failureLimit: FailureLimit;
  keyUsage: Pick<KeyUsage, 'record'>;
  keyActivity: Pick<KeyActivityLog, 'find' | 'recordRefused'>;
  timeouts: Pick<Timeouts, 'handshakeMs' | 'mqttKeyCheckMs'>;
};

/**
 * The embedded MQTT 3.1.1 broker. Pipelines store messages before the broker acknowledges them. A message that matches
 * no pipeline is recorded as unrouted, or refused if so configured. If a message cannot be stored, the broker closes
 * the connection without PUBACK. To limit memory, sessions and messages for disconnected clients are not kept. Retained
 * messages are kept in memory.
 */
export const startMqttBroker = async (deps: MqttBrokerDependencies): Promise<MqttBroker> => {
  const { listen, unroutedMessages, db, live, log, now, keyUsage, keyActivity, timeouts } = deps;
  const routes = createTopicRoutes();
  const connections = new Map<Client, Connection>();
  /** Connections that are not authenticated yet. */
  const unauthenticated = new Set<unknown>();
  const listeners = new Set<(status: BrokerStatus) => void>();
  const logRejection = createMqttRejectionLog(deps);
  const recordRejection = (rejection: MqttRejection): void => {
    const { reason, detail, address, actor } = rejection;
    if (actor === null) keyActivity.recordRefused({ from: address, reason, detail });
    else keyActivity.find(actor.id)?.reject({ reason, detail, pipeline: null });
    logRejection(rejection);
  };
  const mayRetain = createRetainedBudget();
  const unrouted = createUnroutedRecorder(deps);
  let status: BrokerStatus = { port: undefined, detail: undefined };
  let isAccepting = true;
  let hasLoggedSession = false;

  const setStatus = (next: BrokerStatus) => {
    status = next;
    for (const listener of listeners) listener(status);
  };

  const recordRejectedPublish = (
    { identity, address, origin }: Connection,
    topic: string,
    rejection: PublishRefused,
  ) =>
    recordRejection({
      reason: rejection.reason,
      detail: rejection.message,
      username: identity.name,
      address,
      topic,
      actor: origin.actor,
    });

  /** True for the repetition of a QoS 2 message that was already accepted. */
  const isRepeated = async (client: Client, packet: PublishPacket): Promise<boolean> => {
    if (packet.qos !== 2) return false;
    const { persistence } = broker as unknown as {
      persistence: { incomingGetPacket(client: Client, packet: PublishPacket): Promise<unknown> };
    };
    return persistence.incomingGetPacket(client, packet).then(
      () => true,
      () => false,
    );
  };

  /** Handles thousands of messages per second, so each gets only one promise: that of its handler. */
  const publish = (
    { client, identity, address, origin }: Connection,
    packet: PublishPacket,
  ): Promise<unknown> => {
    const topic = fullTopic(identity, packet.topic);
    if (topic === undefined)
      throw new PublishRefused(
        'device-missing',
        'To use “me” in topics, connect with the external ID of a device as the user name.',
      );
    const matched = routes.matchTopic(topic);
    const permission = permitPublish(
      identity,
      topic,
      matched.map(({ level }) => level),
    );
    if (permission === 'deny')
      throw new PublishRefused('topic-forbidden', `This key cannot publish to ${topic}.`);
    const bytes = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
    const isRetained = packet.retain;
    if (permission === 'allow') {
      // Subscribers get the full topic: for each of them, `me` would mean another device.
      packet.topic = topic;
    } else {
      packet.topic = PRIVATE_TOPIC;
      packet.retain = false;
    }
    // An empty retained message only clears the retained message of the topic.
    if (isRetained && bytes.length === 0) {
      if (packet.retain) mayRetain(topic, 0);
      return Promise.resolve();
    }
    const [first] = matched;
    if (first === undefined && unroutedMessages === 'refuse')
      throw new PublishRefused(
        'no-pipeline',
        `No running pipeline accepts messages to ${topic}. Start a pipeline with this topic.`,
      );
    // The same for all matching pipelines, so that a value stored by two of them counts once.
    const receivedAtMs = now();
    const deliver = ({ level, handle }: (typeof matched)[number]) =>
      handle({ topic, level, bytes, origin, receivedAtMs });
    const deliverToAll = (): Promise<unknown> => {
      keyUsage.record(identity.actor.id, address, receivedAtMs);
      if (first === undefined) keyActivity.find(identity.actor.id)?.addUnrouted(topic);
      if (first === undefined)
        return unrouted.record({ topic, bytes, isRetained, username: identity.name, receivedAtMs });
      return matched.length === 1 ? deliver(first) : Promise.all(matched.map(deliver));
    };
    if (packet.qos !== 2 && !packet.retain) return deliverToAll();
    return (async () => {
      if (await isRepeated(client, packet)) return;
      await deliverToAll();
      // Only now, so that rejected messages do not use the budget.
      if (packet.retain && !mayRetain(topic, bytes.length)) packet.retain = false;
    })();
  };

  /** Authenticates a CONNECT. Returns the refusal; null: accepted. */
  const admit = callbackify(
    async (client: Client, username: string, password: string): Promise<ConnectRefused | null> => {
      const address = addressOf(client);
      try {
        const identity = await authenticateMqtt(deps, { username, password, address });
        const origin = { actor: partyOf(identity.actor), devices: identity.actor.devices };
        connections.set(client, { client, identity, address, origin });
        unauthenticated.delete(client.conn);
        return null;
      } catch (error) {
        if (error instanceof ConnectRefused) {
          recordRejection({ reason: error.reason, detail: error.message, username, address, actor: null });
          return error;
        }
        log.error({ err: error }, 'could not authenticate an MQTT client');
        return new ConnectRefused(3, 'unavailable', 'Try again later.');
      }
    },
  );

  const authorizePublish = (
    client: Client | null,
    packet: PublishPacket,
    done: (error: Error | null) => void,
  ): void => {
    const connection = client === null ? undefined : connections.get(client);
    if (connection === undefined || !isAccepting) return done(new Error('not accepted'));
    const { topic } = packet;
    const fail = (error: unknown) => {
      if (error instanceof PublishRefused) recordRejectedPublish(connection, topic, error);
      done(toError(error));
    };
    try {
      // callbackify would defer each message to another tick, at thousands of messages per second.
      // oxlint-disable-next-line promise/no-callback-in-promise
      publish(connection, packet).then(() => done(null), fail);
    } catch (error) {
      fail(error);
    }
  };

  const broker = await Aedes.createBroker({
    connectTimeout: timeouts.handshakeMs,
    // A subscriber that does not read must not delay the others.
    drainTimeout: 5_000,
    maxClientsIdLength: 1_024,

    preConnect: (client, packet, done) => {
      const { protocolVersion = 4, clientId, username = '' } = packet;
      if (protocolVersion > 4)
        recordRejection({
          reason: 'protocol-version',
          detail: 'The client uses MQTT 5. Configure it to use MQTT 3.1.1.',
          username,
          address: addressOf(client),
          actor: null,
        });
      // Client IDs are separate for each user, so that no user can take over the connection of another.
      if (clientId !== '') packet.clientId = `${username}/${clientId}`;
      if (packet.clean === false && !hasLoggedSession) {
        hasLoggedSession = true;
        log.info(
          { username },
          'an MQTT client requests a persistent session; sessions end with their connection (logged once)',
        );
      }
      packet.clean = true;
      done(null, true);
    },

    authenticate: (client, username = '', password, done) =>
      admit(client, username, password?.toString() ?? '', (_, refused) => done(refused, refused === null)),

    authorizePublish,

    authorizeSubscribe: (client, subscription, done) => {
      const identity = connections.get(client)?.identity;
      // Null refuses the subscription in the SUBACK and keeps the connection.
      done(null, identity !== undefined && canReceive(identity, subscription.topic) ? subscription : null);
    },

    authorizeForward: (client, packet) => {
      const identity = connections.get(client)?.identity;
      return identity !== undefined && canReceive(identity, packet.topic) ? packet : null;
    },
  });

  const forget = (client: Client) => void connections.delete(client);
  broker.on('clientDisconnect', forget);
  for (const event of ['clientError', 'connectionError'] as const)
    broker.on(event, (client, error) => {
      log.debug({ err: error, from: addressOf(client) }, 'an MQTT connection ended');
    });

  const end = ({ client }: Connection) => {
    connections.delete(client);
    client.close();
  };
  const stopWatchingKeys = live.subscribe('ended', ({ actorId }) => {
    for (const connection of connections.values())
      if (connection.identity.actor.id === actorId) end(connection);
  });
  /** Checks the keys of connected clients again: a key may have expired, or been revoked while its client connected. */
  const sweep = async (): Promise<void> => {
    // Aedes reports no disconnect for a client that closed while it connected.
    for (const client of connections.keys()) if (client.closed) connections.delete(client);
    const open = [...connections.values()];
    const active = await findActiveKeys(
      db,
      [...new Set(open.map(({ identity }) => identity.actor.id))],
      now(),
    );
    for (const connection of open) if (!active.has(connection.identity.actor.id)) end(connection);
  };
  let sweeping: Promise<void> | undefined;
  const sweeps = setInterval(() => {
    sweeping ??= sweep()
      .catch((error: unknown) => log.error({ err: error }, 'could not read the keys of MQTT clients'))
      .finally(() => {
        sweeping = undefined;
      });
  }, timeouts.mqttKeyCheckMs);

  const recordTooLarge = (client: Client, bytes: number) => {
    const connection = connections.get(client);
    const limit = connection === undefined ? MAX_CONNECT_BYTES : MAX_MESSAGE_BYTES;
    const count = bytes.toLocaleString('en');
    recordRejection({
      reason: connection === undefined ? 'connect-too-large' : 'message-too-large',
      detail: `The packet has ${count} bytes. The limit is ${limit.toLocaleString('en')} bytes (${limit / 1_024} KiB).`,
      username: connection?.identity.name ?? '',
      address: addressOf(client),
      actor: connection?.origin.actor ?? null,
    });
  };

  const onConnection = (socket: Socket) => {
    // Clients reconnect. By then, authenticated clients have made room.
    if (unauthenticated.size >= MAX_UNAUTHENTICATED) return void socket.destroy();
    unauthenticated.add(socket);
    socket.once('close', () => unauthenticated.delete(socket));
    socket.setNoDelay(true);
    const client = broker.handle(socket);
    guardPackets(socket, {
      limit: () => (connections.has(client) ? MAX_MESSAGE_BYTES : MAX_CONNECT_BYTES),
      onTooLarge: (bytes) => recordTooLarge(client, bytes),
    });
  };

  const retained = async function* (filter: string): ReturnType<MqttBroker['retained']> {
    const { persistence } = broker as unknown as {
      persistence: { createRetainedStream(filter: string): AsyncIterable<PublishPacket> };
    };
    for await (const { topic, payload } of persistence.createRetainedStream(filter))
      yield { topic, bytes: typeof payload === 'string' ? Buffer.from(payload) : payload };
  };

  /** Topic filters of the routes added before the broker listens. One transaction removes their unrouted topics. */
  let firstFilters: string[] | undefined = [];
  let listener: Awaited<ReturnType<typeof listenForMqtt>> | undefined;

  return {
    route: (filter, handle) => {
      if (firstFilters === undefined) unrouted.removeRouted([filter]);
      else firstFilters.push(filter);
      return routes.add(filter, handle);
    },
    publish: (topic, bytes) =>
      broker.publish(
        { cmd: 'publish', topic, payload: Buffer.from(bytes), qos: 0, retain: false, dup: false },
        () => undefined,
      ),
    retained,
    watch: (listener) => {
      listeners.add(listener);
      listener(status);
      return () => void listeners.delete(listener);
    },
    listen: async () => {
      unrouted.removeRouted(firstFilters ?? []);
      firstFilters = undefined;
      listener = await listenForMqtt({
        listen,
        log,
        handshakeMs: timeouts.handshakeMs,
        onConnection,
        onStatus: setStatus,
      });
    },
    stopAccepting: () => {
      isAccepting = false;
    },
    close: async () => {
      isAccepting = false;
      clearInterval(sweeps);
      await sweeping;
      stopWatchingKeys();
      listener?.stopAccepting();
      await unrouted.drained();
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      await listener?.close();
    },
  };
};
