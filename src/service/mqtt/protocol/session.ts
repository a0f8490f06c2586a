import { bytesOf, detached, isExpired, type Message } from './mqtt-message.ts';
import type { MqttStore } from './mqtt-store.ts';
import type { Subscription } from './subscription.ts';

/** A PUBLISH to a client. */
export type Delivery = {
  readonly message: Message;
  /** 0: not acknowledged. */
  readonly packetId: number;
  readonly isDuplicate: boolean;
  readonly identifiers: readonly number[];
};

/** The connection of a session. */
export type Link = {
  /** The largest number of unacknowledged messages (MQTT 5, 3.1.2.11.3). */
  readonly window: number;
  /** Whether so much waits for the client that further messages stay in the queue until `resume`. */
  isBlocked(): boolean;
  /** Returns false if the client does not accept a message of this size. */
  deliver(delivery: Delivery): boolean;
  release(packetId: number): void;
  /** Another connection continues the session. */
  takeOver(): void;
};

type Queued = {
  readonly packetId: number;
  readonly message: Message;
  readonly identifiers: readonly number[];
  readonly bytes: number;
  state: 'waiting' | 'sent' | 'released';
  isDuplicate: boolean;
};

/** The limits of one session. */
const MAX_QUEUED = 10_000;
const MAX_QUEUED_BYTES = 16 * 1_048_576;
/** The limit of the queued messages of all sessions. */
const MAX_TOTAL_BYTES = 64 * 1_048_576;
/** What a message takes in memory besides its topic and payload. */
const MESSAGE_OVERHEAD = 512;
const MAX_PACKET_ID = 65_535;

/** The memory that the queues of all sessions use, and those of each owner. */
export type QueueBudget = { bytes: number; readonly ofOwner: Map<string, number> };

export type SessionOptions = {
  readonly id: string;
  readonly owner: string;
  readonly expirySeconds: number;
  readonly store: MqttStore;
  readonly budget: QueueBudget;
  readonly now: () => number;
  readonly stored?: MqttStore['sessions'][number] | undefined;
};

/** The state of a client, which a persistent session keeps while the client is not connected (MQTT 5, 4.1). */
export const createSession = ({
  id,
  owner: firstOwner,
  expirySeconds,
  store,
  budget,
  now,
  stored,
}: SessionOptions) => {
  const subscriptions = new Map<string, Subscription>(
    stored === undefined ? [] : (JSON.parse(stored.subscriptions) as [string, Subscription][]),
  );
  const received = new Set<number>(stored === undefined ? [] : (JSON.parse(stored.received) as number[]));
  /** QoS 2 messages that are being stored, and what to do afterwards. */
  const receiving = new Map<number, (() => void) | undefined>();
  const queue = new Map<number, Queued>();
  let owner = firstOwner;
  let isPersistent = expirySeconds > 0;
  let expiry = expirySeconds;
  let expiresAtMs: number | null = stored?.expiresAtMs ?? null;
  let waiting: Queued[] = [];
  let inFlight = 0;
  let bytes = 0;
  let lastId = 0;
  let link: Link | undefined;

  const save = (): void => {
    if (!isPersistent) return;
    store.saveSession(id, () => ({
      id,
      owner,
      subscriptions: JSON.stringify([...subscriptions]),
      received: JSON.stringify([...received]),
      expirySeconds: expiry,
      expiresAtMs,
    }));
  };

  const ownerBytes = (): number => budget.ofOwner.get(owner) ?? 0;
  const changeBytes = (change: number): void => {
    bytes += change;
    budget.bytes += change;
    const rest = ownerBytes() + change;
    if (rest === 0) budget.ofOwner.delete(owner);
    else budget.ofOwner.set(owner, rest);
  };
  const add = (queued: Queued): void => {
    queue.set(queued.packetId, queued);
    changeBytes(queued.bytes);
  };
  const remove = (queued: Queued): void => {
    if (!queue.delete(queued.packetId)) return;
    changeBytes(-queued.bytes);
    if (isPersistent) store.saveMessage(id, queued.packetId, null);
  };

  for (const { packetId, message, isReleased } of stored?.messages ?? []) {
    const isDuplicate = stored?.expiresAtMs === null;
    add({
      packetId,
      message,
      identifiers: [],
      bytes: bytesOf(message) + MESSAGE_OVERHEAD,
      state: isReleased ? 'released' : 'waiting',
      isDuplicate,
    });
    lastId = packetId;
  }

  const nextId = (): number => {
    do lastId = (lastId % MAX_PACKET_ID) + 1;
    while (queue.has(lastId));
    return lastId;
  };

  /** Sends queued messages until the window of the client is full. */
  const fillWindow = (): void => {
    const to = link;
    if (to === undefined) return;
    let sent = 0;
    while (inFlight < to.window && sent < waiting.length && !to.isBlocked()) {
      const queued = waiting[sent]!;
      sent += 1;
      if (!queue.has(queued.packetId)) continue;
      if (queued.state === 'released') {
        inFlight += 1;
        to.release(queued.packetId);
        continue;
      }
      const { message, packetId, isDuplicate, identifiers } = queued;
      const isDelivered =
        !isExpired(message, now()) && to.deliver({ message, packetId, isDuplicate, identifiers });
      if (!isDelivered) {
        remove(queued);
        continue;
      }
      queued.state = 'sent';
      queued.isDuplicate = true;
      inFlight += 1;
    }
    if (sent > 0) waiting = waiting.slice(sent);
  };

  const finish = (packetId: number, states: readonly Queued['state'][]): boolean => {
    const queued = queue.get(packetId);
    if (queued === undefined || !states.includes(queued.state)) return false;
    remove(queued);
    inFlight -= 1;
    fillWindow();
    return true;
  };

  return {
    id,
    subscriptions,
    get owner() {
      return owner;
    },
    setOwner: (next: string): void => {
      const moved = bytes;
      changeBytes(-moved);
      owner = next;
      changeBytes(moved);
    },
    get isPersistent() {
      return isPersistent;
    },
    get link() {
      return link;
    },
    save,
    /** Whether the client has been disconnected for longer than the session expiry. */
    isOver: (nowMs: number): boolean => link === undefined && expiresAtMs !== null && expiresAtMs <= nowMs,
    setExpiry: (seconds: number): void => {
      expiry = seconds;
      if (seconds === 0) return;
      isPersistent = true;
      save();
    },
    /** Queues a message of QoS 1 or 2. Returns false if it is dropped, because the limits are reached. */
    enqueue: (message: Message, identifiers: readonly number[]): boolean => {
      const size = bytesOf(message) + MESSAGE_OVERHEAD;
      // An owner uses at most as much as it leaves free, so that no owner takes the room of all others.
      const hasRoom =
        queue.size < MAX_QUEUED &&
        bytes + size <= MAX_QUEUED_BYTES &&
        ownerBytes() + size <= MAX_TOTAL_BYTES - budget.bytes;
      if (!hasRoom) return false;
      const queued: Queued = {
        packetId: nextId(),
        message: detached(message),
        identifiers,
        bytes: size,
        state: 'waiting',
        isDuplicate: false,
      };
      add(queued);
      waiting.push(queued);
      if (isPersistent)
        store.saveMessage(id, queued.packetId, {
          packetId: queued.packetId,
          message: queued.message,
          isReleased: false,
        });
      fillWindow();
      return true;
    },
    /** Connects the client, and sends unacknowledged messages again, in their order (MQTT 5, 4.4). */
    attach: (to: Link): void => {
      link = to;
      expiresAtMs = null;
      inFlight = 0;
      for (const queued of queue.values()) if (queued.state === 'sent') queued.state = 'waiting';
      waiting = [...queue.values()];
      save();
      fillWindow();
    },
    /** The client has read what waited for it. */
    resume: fillWindow,
    /** The client has disconnected. */
    detach: (): void => {
      link = undefined;
      expiresAtMs = now() + expiry * 1_000;
      save();
    },
    /** Removes queued messages that the client is no longer allowed to receive. */
    removeUnless: (canReceive: (topic: string) => boolean): void => {
      for (const queued of queue.values()) if (!canReceive(queued.message.topic)) remove(queued);
    },
    /** PUBACK, or PUBREC with an error. */
    acknowledge: (packetId: number): void => void finish(packetId, ['sent']),
    /** PUBREC. Returns whether the message is known. */
    markReleased: (packetId: number): boolean => {
      const queued = queue.get(packetId);
      if (queued === undefined || queued.state === 'waiting') return false;
      queued.state = 'released';
      if (isPersistent)
        store.saveMessage(id, packetId, { packetId, message: queued.message, isReleased: true });
      return true;
    },
    /** PUBCOMP. */
    complete: (packetId: number): void => void finish(packetId, ['released']),
    startReceiving: (packetId: number): void => void receiving.set(packetId, undefined),
    isReceiving: (packetId: number): boolean => receiving.has(packetId),
    /** Calls back once the message is stored, or could not be stored. Only the last caller waits. */
    afterReceiving: (packetId: number, callback: () => void): void => void receiving.set(packetId, callback),
    stopReceiving: (packetId: number): void => {
      const callback = receiving.get(packetId);
      receiving.delete(packetId);
      callback?.();
    },
    hasReceived: (packetId: number): boolean => received.has(packetId),
    get receivedCount() {
      return received.size;
    },
    markReceived: (packetId: number): void => {
      received.add(packetId);
      save();
    },
    /** PUBREL. Returns whether the message was known. */
    forgetReceived: (packetId: number): boolean => {
      const isKnown = received.delete(packetId);
      if (isKnown) save();
      return isKnown;
    },
    end: (): void => {
      changeBytes(-bytes);
      queue.clear();
      waiting = [];
      link = undefined;
      if (isPersistent) store.saveSession(id, null);
      isPersistent = false;
    },
  };
};

export type Session = ReturnType<typeof createSession>;
