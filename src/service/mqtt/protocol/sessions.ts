import type { QoS } from 'mqtt-packet';
import { createRetainedMessages } from './retained-messages.ts';
import { createSession, type Link, type QueueBudget, type Session } from './session.ts';
import type { MqttStore } from './mqtt-store.ts';
import type { Message } from './mqtt-message.ts';
import { createSubscriptionTree } from './subscription-tree.ts';
import type { Subscription } from './subscription.ts';

/** The largest number of persistent sessions. */
const MAX_PERSISTENT = 10_000;
const MAX_SUBSCRIPTIONS = 500;

/** A will that waits for its delay. It is sent early if its session ends (MQTT 5, 3.1.3.2.2). */
export type DelayedWill = { readonly publish: () => void; readonly cancel: () => void };

type OpenOptions = {
  readonly link: Link;
  readonly isClean: boolean;
  readonly expirySeconds: number;
  readonly owner: string;
  /** The largest number of persistent sessions of the user name. */
  readonly maxSessions: number;
};

/** Client IDs are separate for each user name, so that no user can take over the connection of another. */
export const sessionIdOf = (username: string, clientId: string): string =>
  JSON.stringify([username, clientId]);
export const usernameOf = (sessionId: string): string => (JSON.parse(sessionId) as [string, string])[0];

type Target = { qos: QoS; isRetained: boolean; topic: string; identifiers: number[] };

/** The link of a connected session, which also accepts messages of QoS 0. */
export type ClientLink = Link & {
  readonly deliverUnacknowledged: (message: Message, identifiers: readonly number[]) => void;
};

/** All sessions, their subscriptions, and the delivery of messages to them. */
export const createSessions = ({
  store,
  now,
  onDropped,
}: {
  store: MqttStore;
  now: () => number;
  /** A message for a session was dropped, because its queue is full. */
  onDropped: (session: Session, topic: string) => void;
}) => {
  const tree = createSubscriptionTree<Session>();
  const retained = createRetainedMessages(store, now);
  const sessions = new Map<string, Session>();
  const links = new Map<Session, ClientLink>();
  /** The last connection with each client ID. It may not have its session yet. */
  const owners = new Map<string, Link>();
  const budget: QueueBudget = { bytes: 0, ofOwner: new Map() };
  let persistent = 0;
  const wills = new Map<Session, DelayedWill & { readonly timer: NodeJS.Timeout }>();

  const countOfUser = (id: string): number => {
    const prefix = sessionIdOf(usernameOf(id), '').slice(0, -2);
    let count = 0;
    for (const session of sessions.values())
      if (session.isPersistent && session.id.startsWith(prefix)) count += 1;
    return count;
  };

  const takeWill = (session: Session): DelayedWill | undefined => {
    const will = wills.get(session);
    clearTimeout(will?.timer);
    wills.delete(session);
    return will;
  };

  const create = (
    id: string,
    owner: string,
    expirySeconds: number,
    stored?: MqttStore['sessions'][number],
  ): Session => {
    const session = createSession({ id, owner, expirySeconds, store, budget, now, stored });
    sessions.set(id, session);
    for (const subscription of session.subscriptions.values()) tree.add(session, subscription);
    if (session.isPersistent) persistent += 1;
    return session;
  };

  const end = (session: Session): void => {
    if (sessions.get(session.id) !== session) return;
    if (session.isPersistent) persistent -= 1;
    sessions.delete(session.id);
    links.delete(session);
    for (const subscription of session.subscriptions.values()) tree.remove(subscription);
    session.end();
    takeWill(session)?.publish();
  };

  for (const stored of store.sessions) {
    const session = create(stored.id, stored.owner, stored.expirySeconds, stored);
    // The process ended while the client was connected.
    if (stored.expiresAtMs === null) session.detach();
  }

  const deliver = (
    session: Session,
    message: Message,
    { qos, isRetained, topic, identifiers }: Target,
  ): boolean => {
    const delivered = { ...message, topic, qos, retain: isRetained };
    if (qos === 0) {
      links.get(session)?.deliverUnacknowledged(delivered, identifiers);
      return false;
    }
    if (session.enqueue(delivered, identifiers)) return session.isPersistent;
    onDropped(session, topic);
    return false;
  };

  const topicFor = ({ rewrite }: Subscription, topic: string): string =>
    rewrite !== undefined && topic.startsWith(rewrite.from)
      ? rewrite.to + topic.slice(rewrite.from.length)
      : topic;

  return {
    /** Continues a session, or creates one. A clean start ends the previous one (MQTT 5, 3.1.2.4). */
    open: (
      id: string,
      { link, isClean, expirySeconds, owner, maxSessions }: OpenOptions,
    ): { session: Session; isPresent: boolean; expirySeconds: number } => {
      owners.get(id)?.takeOver();
      owners.set(id, link);
      const before = sessions.get(id);
      const isKept = before !== undefined && !isClean && !before.isOver(now());
      if (before !== undefined && !isKept) end(before);
      const hasRoom =
        expirySeconds === 0 ||
        (isKept && before.isPersistent) ||
        (persistent < MAX_PERSISTENT && (maxSessions >= MAX_PERSISTENT || countOfUser(id) < maxSessions));
      const granted = hasRoom ? expirySeconds : 0;
      if (!isKept) return { session: create(id, owner, granted), isPresent: false, expirySeconds: granted };
      takeWill(before)?.cancel();
      before.setOwner(owner);
      if (!before.isPersistent && granted > 0) persistent += 1;
      before.setExpiry(granted);
      return { session: before, isPresent: true, expirySeconds: granted };
    },
    attach: (session: Session, link: ClientLink): void => {
      links.set(session, link);
      session.attach(link);
    },
    /** The client has disconnected. `expirySeconds`: how long its session is kept. */
    detach: (session: Session, link: Link, expirySeconds: number): void => {
      // Another connection has taken over.
      if (owners.get(session.id) !== link) return;
      owners.delete(session.id);
      links.delete(session);
      if (expirySeconds === 0) return end(session);
      session.setExpiry(expirySeconds);
      session.detach();
    },
    /** Publishes a will after a delay, or when its session ends. A client that comes back cancels it. */
    delayWill: (session: Session, delayMs: number, will: DelayedWill): void => {
      if (sessions.get(session.id) !== session) return will.publish();
      const timer = setTimeout(() => takeWill(session)?.publish(), delayMs);
      timer.unref();
      wills.set(session, { ...will, timer });
    },
    cancelWill: (session: Session): void => takeWill(session)?.cancel(),
    /** Ends the sessions of an owner that are not connected. */
    endSessionsOf: (owner: string): void => {
      for (const session of sessions.values())
        if (session.owner === owner && !owners.has(session.id)) end(session);
    },
    /** Ends sessions whose clients have been disconnected for longer than the session expiry. */
    expire: (): void => {
      const nowMs = now();
      for (const session of sessions.values()) if (session.isOver(nowMs)) end(session);
    },
    /** Returns false if the session has too many subscriptions. `given`: the topic filter of the client. */
    subscribe: (session: Session, given: string, subscription: Subscription): boolean => {
      const before = session.subscriptions.get(given);
      if (before === undefined && session.subscriptions.size >= MAX_SUBSCRIPTIONS) return false;
      if (before !== undefined) tree.remove(before);
      session.subscriptions.set(given, subscription);
      tree.add(session, subscription);
      session.save();
      return true;
    },
    /** Returns whether there was such a subscription. */
    unsubscribe: (session: Session, given: string): boolean => {
      const subscription = session.subscriptions.get(given);
      if (subscription === undefined) return false;
      tree.remove(subscription);
      session.subscriptions.delete(given);
      session.save();
      return true;
    },
    /** Sends the retained messages that match a new subscription, at most one with each step. */
    *sendRetained(session: Session, subscription: Subscription): Generator<undefined> {
      for (const message of retained.scan(subscription.filter)) {
        if (message !== undefined)
          deliver(session, message, {
            qos: Math.min(message.qos, subscription.qos) as QoS,
            isRetained: true,
            topic: topicFor(subscription, message.topic),
            identifiers: subscription.identifier === undefined ? [] : [subscription.identifier],
          });
        yield;
      }
    },
    /**
     * Delivers a message to its subscribers, one copy to each (MQTT 5, 3.3.4), and retains it if `retain` is set.
     * Returns whether the store has changes to write.
     */
    forward: (message: Message, from?: Session): boolean => {
      let isSaved = message.retain && retained.set(message, from?.owner ?? '');
      const matched = tree.match(message.topic);
      if (matched.length === 0) return isSaved;
      const targets = new Map<Session, Target>();
      for (const { session, subscription } of matched) {
        if (subscription.isNoLocal && session === from) continue;
        const qos = Math.min(message.qos, subscription.qos) as QoS;
        const isRetained = message.retain && subscription.isRetainAsPublished;
        const topic = topicFor(subscription, message.topic);
        const identifiers = subscription.identifier === undefined ? [] : [subscription.identifier];
        const target = targets.get(session);
        if (target === undefined) targets.set(session, { qos, isRetained, topic, identifiers });
        else {
          target.qos = Math.max(target.qos, qos) as QoS;
          target.isRetained ||= isRetained;
          target.identifiers.push(...identifiers);
          if (subscription.rewrite === undefined) target.topic = message.topic;
        }
      }
      for (const [session, target] of targets) isSaved = deliver(session, message, target) || isSaved;
      return isSaved;
    },
    retained,
    /** Whether a client subscribes to exactly this topic, without wildcards. */
    hasSubscriberOf: (topic: string): boolean =>
      tree.match(topic).some(({ subscription }) => subscription.filter === topic),
  };
};

export type Sessions = ReturnType<typeof createSessions>;
