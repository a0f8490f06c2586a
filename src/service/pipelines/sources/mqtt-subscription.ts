import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { IClientOptions } from 'mqtt';
import type { PipelineConfig } from '#contract/pipeline-types.ts';
import { topicFilterOf } from '#contract/topic-filter.ts';
import { portOf } from '../../platform/outbound/address-rules.ts';
import { acknowledgeWhenStored } from './acknowledge-when-stored.ts';
import { createInFlightWindow } from './in-flight-window.ts';
import { FatalFault, keepConnected } from '../connections/keep-connected.ts';
import {
  accessReasons,
  codeOf,
  fatalReasons,
  mqttOptions,
  passingReasons,
} from '../connections/mqtt-options.ts';
import type { OpenSource, SourceContext } from './source.ts';

type Context = SourceContext<PipelineConfig<'mqtt'>>;

const CLOSE_WITHIN_MS = 2_000;
/** How long the broker keeps the session and its messages while this service is disconnected: a week. */
const SESSION_EXPIRY_S = 7 * 86_400;
/** Number of messages that the broker sends before it waits for acknowledgements. */
const RECEIVE_MAXIMUM = 500;

/** The field to check if a broker rejects the credentials. */
const accessField = (username: string | undefined): string =>
  username === undefined ? 'username' : 'password';

const reasonFault = (host: string, code: number, { username }: Context['config']): Error => {
  const fatal = fatalReasons[code];
  if (fatal !== undefined) {
    const isAccess = accessReasons.includes(code);
    return new FatalFault(`${host} ${fatal}.`, isAccess ? accessField(username) : undefined);
  }
  return new Error(`${host} ${passingReasons[code] ?? `closed the connection (reason ${code})`}.`);
};

/** The filter to subscribe to, with the shared group (MQTT 5, 4.8.2). */
const subscriptionOf = ({ sharedGroup }: Context['config'], topic: string): string =>
  sharedGroup === undefined ? topic : `$share/${sharedGroup}/${topic}`;

/** Number of topics in one SUBSCRIBE. */
const TOPICS_PER_PACKET = 100;

/**
 * The same after restarts, so that the broker resumes the session. Different for other topics, because the session
 * would keep the old subscription. Brokers may reject more than 23 characters (MQTT 3.1.1, 3.1.3.1).
 */
const clientIdOf = ({ config, pipeline }: Context): string =>
  `penstock-${createHash('sha256')
    .update(JSON.stringify([pipeline.id, subscriptionOf(config, config.topic)]))
    .digest('hex')
    .slice(0, 14)}`;

const optionsOf = (context: Context): IClientOptions => {
  const { username, password, protocol } = context.config;
  return {
    ...mqttOptions({ protocol, username, password }),
    clientId: clientIdOf(context),
    clean: context.isTrial === true,
    ...(protocol === '5' && context.isTrial !== true
      ? { properties: { sessionExpiryInterval: SESSION_EXPIRY_S, receiveMaximum: RECEIVE_MAXIMUM } }
      : {}),
  };
};

/** Subscribes to an external broker, and reconnects when needed. */
export const openMqttSubscription = (context: Context, address: string): OpenSource => {
  const { config, outbound, submit, discoveredTopics } = context;
  const url = new URL(address);
  const target = { host: url.hostname, port: portOf(url), isTls: /^(mqtts|wss):$/.test(url.protocol) };
  const host = `${url.hostname}:${target.port}`;
  const match = topicFilterOf(config.topic);

  const connection = async (signal: AbortSignal, onUp: () => void): Promise<void> => {
    const { clientOver } = await import('../connections/mqtt-client.ts');
    const socket = await outbound.connect(target, signal);
    const client = clientOver(socket, url, optionsOf(context));
    const ending = new AbortController();
    const inFlight = createInFlightWindow(submit, ending.signal);
    const { acknowledged } = acknowledgeWhenStored(
      client,
      inFlight,
      ({ topic, payload }) => {
        const matched = match(topic);
        if (matched === undefined && !discovered.has(topic)) return undefined;
        return { bytes: Buffer.from(payload), topic, device: matched?.level ?? config.device };
      },
      signal,
    );
    const broken = new Promise<never>((_, reject) => {
      client.on('error', (error) => {
        const code = codeOf(error);
        reject(
          code === undefined ? new Error(`${host}: ${error.message}.`) : reasonFault(host, code, config),
        );
      });
      client.on('disconnect', ({ reasonCode = 0 }) => reject(reasonFault(host, reasonCode, config)));
      client.on('close', () => reject(new Error(`${host} closed the connection.`)));
    });
    const asked = new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    const options = { qos: config.qos, ...(config.protocol === '5' ? { rh: 1 } : {}) };
    const subscribe = async () => {
      // In MQTT 5, retained messages are only sent for a new subscription (3.8.3.1).
      const granted = await client
        .subscribeAsync(subscriptionOf(config, config.topic), options)
        .catch((error: unknown) => {
          if (codeOf(error) === undefined && !/refused|unspecified|not authorized/i.test(String(error)))
            throw error;
          return [{ qos: 128 }];
        });
      if (granted.some(({ qos }) => qos >= 128))
        throw new FatalFault(
          `${host} does not allow this user to subscribe to ${subscriptionOf(config, config.topic)}.`,
        );
      for (const topic of discoveredTopics.list()) follow(topic, true);
      onUp();
    };
    const discovered = new Set<string>();
    const requested = new Set<string>();
    /** Subscribes to discovered topics, those of one iteration of the event loop together. The broker may not allow some. */
    const subscribeToRequested = () => {
      const filters = [...requested].map((topic) => subscriptionOf(config, topic));
      requested.clear();
      for (let i = 0; i < filters.length; i += TOPICS_PER_PACKET)
        client.subscribe(filters.slice(i, i + TOPICS_PER_PACKET), options, () => undefined);
    };
    const follow = (topic: string, isKnown: boolean) => {
      if (match(topic) !== undefined) return;
      if (!isKnown && discovered.delete(topic)) client.unsubscribe(subscriptionOf(config, topic));
      if (!isKnown || discovered.has(topic)) return;
      discovered.add(topic);
      if (requested.size === 0) setImmediate(subscribeToRequested);
      requested.add(topic);
    };
    const stopFollowing = discoveredTopics.watch(follow);
    const stopSparkplug = context.followSparkplug((topic, bytes) => {
      client.publish(topic, Buffer.from(bytes), { qos: 0 });
    });
    const subscribed = new Promise<void>((resolve, reject) => {
      client.on('connect', () => void subscribe().then(resolve, reject));
    });
    try {
      client.connect();
      await Promise.race([subscribed, broken, asked]);
      await Promise.race([broken, asked]);
      await Promise.race([inFlight.settled().then(acknowledged), delay(CLOSE_WITHIN_MS)]);
    } finally {
      stopFollowing();
      stopSparkplug();
      ending.abort();
      broken.catch(() => undefined);
      subscribed.catch(() => undefined);
      client.on('error', () => undefined);
      await Promise.race([client.endAsync(!signal.aborted), delay(CLOSE_WITHIN_MS)]).catch(() => undefined);
      socket.destroy();
    }
  };

  return keepConnected(context, connection);
};
