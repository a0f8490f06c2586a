import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { KeyActivityLog } from '../access/key-activity.ts';
import type { KeyUsage } from '../access/key-usage.ts';
import { partyOf, type Transact } from '../events/event-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Authenticator, FailureLimit } from '../platform/http/auth.ts';
import type { LiveBus } from '../platform/live-bus.ts';
import type { Db } from '../platform/storage/database.ts';
import { isUnwritable } from '../platform/storage/disk-full.ts';
import type { DiskGuard } from '../platform/storage/disk-guard.ts';
import { StorageFull } from '../platform/storage/store-errors.ts';
import type { Timeouts } from '../platform/timeouts.ts';
import { listenForMqtt, type BrokerStatus, type MqttListenOptions } from './listen-for-mqtt.ts';
import { findActiveKeys } from '../access/active-keys.ts';
import { createClientRejectionLog, type ClientRejection } from '../devices/client-rejection-log.ts';
import {
  authenticateMqtt,
  canReceive,
  fullTopic,
  permitPublish,
  type MqttIdentity,
} from './mqtt-permissions.ts';
import type { Origin } from '../devices/sender.ts';
import type { MqttRouting } from './mqtt-routing.ts';
import {
  ConnectRefused,
  PublishRefused,
  type ConnectionHandle,
  type Grant,
} from './protocol/client-grant.ts';
import type { Message } from './protocol/mqtt-message.ts';
import { createMqttServer } from './protocol/mqtt-server.ts';
import { topicFault } from './protocol/packet-rules.ts';
import { REASON } from './protocol/reason-codes.ts';
import { createTopicRoutes } from './topic-routes.ts';
import { createUnroutedRecorder } from './unrouted-recorder.ts';

export type MqttBroker = MqttRouting & {
  /** Starts listening. Call this after every pipeline has added its routes: earlier messages would be unrouted. */
  listen(): Promise<void>;
  /** Stops accepting messages. Accepted messages are still acknowledged until `close`. */
  stopAccepting(): void;
  /** Serves a client over another transport, such as a WebSocket. `address`: its IP address. */
  serve(stream: Duplex, address: string): void;
  close(): Promise<void>;
};

/** Persistent sessions with the user name of a device, whose key is limited to devices. */
const MAX_SESSIONS_OF_DEVICE = 20;
const COMMANDS = /^v1\/devices\/[^/]+\/commands$/;
/** The largest number of unauthenticated connections. */
const MAX_UNAUTHENTICATED = 2_000;

type Connection = { handle: ConnectionHandle; identity: MqttIdentity; address: string; origin: Origin };

/** The service is stopping. */
class NotAccepting extends Error {
  override readonly name = 'NotAccepting';
}

/**
 * The reason code for a message that could not be stored. The client sends the message again after it has reconnected.
 */
const reasonCodeOf = (error: unknown) => {
  if (error instanceof NotAccepting) return REASON.shuttingDown;
  return error instanceof StorageFull || isUnwritable(error) ? REASON.quotaExceeded : REASON.unspecified;
};

type MqttBrokerDependencies = {
  listen: MqttListenOptions;
  /** What to do with a message that matches no pipeline. */
  unroutedMessages: 'record' | 'refuse';
  db: Db;
  dataDir: string;
  disk: Pick<DiskGuard, 'requireWritable' | 'reportError'>;
  transact: Transact;
  live: Pick<LiveBus, 'subscribe'>;
  log: Logger;
  now: () => number;
  clock: Pick<Clock, 'elapsed' | 'isTrusted'>;
  authenticator: Authenticator;
  failureLimit: FailureLimit;
  keyUsage: Pick<KeyUsage, 'record'>;
  keyActivity: Pick<KeyActivityLog, 'find' | 'recordRefused'>;
  timeouts: Pick<Timeouts, 'handshakeMs' | 'mqttKeyCheckMs'>;
};

/**
 * The embedded MQTT broker. Pipelines store messages before the broker acknowledges them. A message that matches no
 * pipeline is recorded as unrouted, or refused if so configured. If a message cannot be stored, the broker closes the
 * connection without PUBACK.
 */
export const startMqttBroker = async (deps: MqttBrokerDependencies): Promise<MqttBroker> => {
  const {
    listen,
    unroutedMessages,
    db,
    dataDir,
    disk,
    live,
    log,
    now,
    clock,
    keyUsage,
    keyActivity,
    timeouts,
  } = deps;
  const routes = createTopicRoutes();
  const connections = new Map<ConnectionHandle, Connection>();
  /** Connections that are not authenticated yet. */
  const unauthenticated = new Set<unknown>();
  const listeners = new Set<(status: BrokerStatus) => void>();
  const logRejection = createClientRejectionLog({ ...deps, type: 'mqtt.refused' });
  const recordRejection = (rejection: ClientRejection): void => {
    const { reason, detail, address, actor } = rejection;
    if (actor === null) keyActivity.recordRefused({ from: address, reason, detail });
    else keyActivity.find(actor.id)?.reject({ reason, detail, pipeline: null });
    logRejection(rejection);
  };
  const unrouted = createUnroutedRecorder(deps);
  let status: BrokerStatus = { port: undefined, detail: undefined };
  let isAccepting = true;

  const server = createMqttServer({
    dataDir,
    disk,
    log,
    now,
    handshakeMs: timeouts.handshakeMs,
    reasonCodeOf,
    // The client was not rejected, so this is not activity of its key.
    onDropped: (username, topic) =>
      logRejection({
        reason: 'queue-full',
        detail:
          'The client has too many unacknowledged messages. The broker drops further messages for this client.',
        username,
        address: '',
        topic,
        actor: null,
      }),
  });

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

  /** Handles thousands of messages per second, so each gets only one promise: that of its handler. */
  const accept = (connection: Connection, message: Message): ReturnType<Grant['accept']> => {
    const { identity, address, origin } = connection;
    const refuse = (code: (typeof REASON)[keyof typeof REASON], reason: string, detail: string): never => {
      const refusal = new PublishRefused(code, reason, detail);
      recordRejectedPublish(connection, message.topic, refusal);
      throw refusal;
    };
    if (!isAccepting) throw new NotAccepting('The service is stopping.');
    const topic =
      fullTopic(identity, message.topic) ??
      refuse(
        REASON.topicInvalid,
        'device-missing',
        'To use “me” in topics, connect with the external ID of a device as the user name.',
      );
    // The user name in place of `me` may have wildcards, or make the topic too long.
    const fault = topic === message.topic ? undefined : topicFault(topic);
    if (fault !== undefined) refuse(REASON.topicInvalid, 'topic-invalid', fault);
    const matched = routes.matchTopic(topic);
    const permission = permitPublish(
      identity,
      topic,
      matched.map(({ level }) => level),
    );
    if (permission === 'deny')
      refuse(REASON.notAuthorized, 'topic-forbidden', `This key cannot publish to ${topic}.`);
    const { payload: bytes, retain: isRetained } = message;
    // Subscribers get the full topic: for each of them, `me` would mean another device.
    const forward = permission === 'allow' ? { ...message, topic } : undefined;
    // An empty retained message only clears the retained message of the topic.
    if (isRetained && bytes.length === 0) return { stored: Promise.resolve(), forward };
    const [first] = matched;
    // Commands are for devices, not for pipelines. Clients that subscribe with wildcards may only watch.
    const isCommand = COMMANDS.test(topic) && server.hasSubscriberOf(topic);
    if (first === undefined && !isCommand && unroutedMessages === 'refuse')
      refuse(
        REASON.topicInvalid,
        'no-pipeline',
        `No running pipeline accepts messages to ${topic}. Start a pipeline with this topic.`,
      );
    // The same for all matching pipelines, so that a value stored by two of them counts once.
    const receivedAtMs = now();
    keyUsage.record(identity.actor.id, address, receivedAtMs);
    if (first === undefined) {
      if (isCommand) return { stored: Promise.resolve(), forward };
      keyActivity.find(identity.actor.id)?.addUnrouted(topic);
      return {
        stored: unrouted.record({ topic, bytes, isRetained, username: identity.name, receivedAtMs }),
        forward,
      };
    }
    const deliver = ({ level, handle }: (typeof matched)[number]) =>
      handle({ topic, level, bytes, origin, receivedAtMs });
    return { stored: matched.length === 1 ? deliver(first) : Promise.all(matched.map(deliver)), forward };
  };

  const authenticate = async (
    { username, password }: { username: string; password: string },
    handle: ConnectionHandle,
    address: string,
  ): Promise<Grant> => {
    try {
      const identity = await authenticateMqtt(deps, { username, password, address });
      const origin = {
        actor: partyOf(identity.actor),
        devices: identity.actor.devices,
        ...(identity.name === '' ? {} : { username: identity.name }),
      };
      const connection = { handle, identity, address, origin };
      connections.set(handle, connection);
      return {
        owner: identity.actor.id,
        maxSessions: identity.devices === null ? Number.POSITIVE_INFINITY : MAX_SESSIONS_OF_DEVICE,
        resolve: (topic) => fullTopic(identity, topic),
        canReceive: (filter) => canReceive(identity, filter),
        accept: (message) => accept(connection, message),
        closed: () => void connections.delete(handle),
      };
    } catch (error) {
      if (error instanceof ConnectRefused) {
        recordRejection({ reason: error.reason, detail: error.message, username, address, actor: null });
        throw error;
      }
      log.error({ err: error }, 'could not authenticate an MQTT client');
      throw new ConnectRefused(3, 'unavailable', 'Try again later.');
    }
  };

  const serve = (stream: Duplex, address: string): void => {
    // Clients reconnect. By then, authenticated clients have made room.
    if (unauthenticated.size >= MAX_UNAUTHENTICATED) return void stream.destroy();
    unauthenticated.add(stream);
    let identity: MqttIdentity | undefined;
    server.serve(stream, {
      authenticate: async (connect, handle) => {
        const grant = await authenticate(connect, handle, address);
        unauthenticated.delete(stream);
        ({ identity } = connections.get(handle) ?? {});
        return grant;
      },
      onTooLarge: (bytes, limit) => {
        const count = bytes.toLocaleString('en');
        recordRejection({
          reason: identity === undefined ? 'connect-too-large' : 'message-too-large',
          detail: `The packet has ${count} bytes. The limit is ${limit.toLocaleString('en')} bytes (${limit / 1_024} KiB).`,
          username: identity?.name ?? '',
          address,
          actor: identity === undefined ? null : partyOf(identity.actor),
        });
      },
      onUnsupportedVersion: () =>
        recordRejection({
          reason: 'protocol-version',
          detail: 'The client uses an unknown version of MQTT. Configure it to use MQTT 3.1.1 or 5.',
          username: '',
          address,
          actor: null,
        }),
      onClosed: (error) => {
        unauthenticated.delete(stream);
        if (error !== undefined) log.debug({ err: error, from: address }, 'an MQTT connection ended');
      },
    });
  };

  const onConnection = (socket: Socket) => {
    socket.setNoDelay(true);
    serve(socket, socket.remoteAddress ?? '');
  };

  const end = ({ handle }: Connection) => {
    connections.delete(handle);
    handle.end(REASON.notAuthorized);
  };
  const stopWatchingKeys = live.subscribe('ended', ({ actorId }) => {
    for (const connection of connections.values())
      if (connection.identity.actor.id === actorId) end(connection);
    server.endSessionsOf(actorId);
  });
  /** Checks the keys of connected clients again: a key may have expired, or been revoked while its client connected. */
  const sweep = async (): Promise<void> => {
    if (clock.isTrusted()) server.expire();
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

  /** Topic filters of the routes added before the broker listens. One transaction removes their unrouted topics. */
  let firstFilters: string[] | undefined = [];
  let listener: Awaited<ReturnType<typeof listenForMqtt>> | undefined;

  return {
    route: (filter, handle) => {
      if (firstFilters === undefined) unrouted.removeRouted([filter]);
      else firstFilters.push(filter);
      return routes.add(filter, handle);
    },
    publish: (topic, bytes) => server.publish({ topic, payload: Buffer.from(bytes), qos: 0, retain: false }),
    retained: (filter) => server.retained(filter).map(({ topic, payload }) => ({ topic, bytes: payload })),
    serve,
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
      await server.close();
      await listener?.close();
    },
  };
};
