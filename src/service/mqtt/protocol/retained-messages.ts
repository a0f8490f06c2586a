import { topicFilterOf } from '#contract/topic-filter.ts';
import { bytesOf, detached, isExpired, type Message } from './mqtt-message.ts';
import type { MqttStore, RetainedMessage } from './mqtt-store.ts';

const MAX_TOPICS = 10_000;
const MAX_BYTES = 16 * 1_048_576;

type Usage = { topics: number; bytes: number };

/** What the retained messages use, in all and by owner. */
const createRoom = () => {
  const total: Usage = { topics: 0, bytes: 0 };
  const ofOwner = new Map<string, Usage>();
  const change = ({ message, owner }: RetainedMessage, sign: 1 | -1): void => {
    const own = ofOwner.get(owner) ?? { topics: 0, bytes: 0 };
    for (const usage of [total, own]) {
      usage.topics += sign;
      usage.bytes += sign * bytesOf(message);
    }
    if (own.topics === 0) ofOwner.delete(owner);
    else ofOwner.set(owner, own);
  };
  return {
    take: (retained: RetainedMessage) => change(retained, 1),
    free: (retained: RetainedMessage) => change(retained, -1),
    /** An owner uses at most as much as it leaves free, so that no owner takes the room of all others. */
    hasRoomFor: ({ message, owner }: RetainedMessage): boolean => {
      const { topics, bytes } = ofOwner.get(owner) ?? { topics: 0, bytes: 0 };
      return topics + 1 <= MAX_TOPICS - total.topics && bytes + bytesOf(message) <= MAX_BYTES - total.bytes;
    },
  };
};

/** The retained message of each topic. The messages are in memory too, so their number and size are limited. */
export const createRetainedMessages = (
  store: Pick<MqttStore, 'retained' | 'saveRetained'>,
  now: () => number,
) => {
  const byTopic = new Map(store.retained.map((retained) => [retained.message.topic, retained]));
  const room = createRoom();
  for (const retained of store.retained) room.take(retained);

  const clear = (topic: string): boolean => {
    const before = byTopic.get(topic);
    if (before === undefined) return false;
    room.free(before);
    byTopic.delete(topic);
    store.saveRetained(topic, null);
    return true;
  };

  /** The messages that match a filter, and undefined for each topic that does not, so that the caller can pause. */
  const scan = function* (filter: string): Generator<Message | undefined> {
    const exact = byTopic.get(filter);
    const isExact = !/[+#]/.test(filter);
    const matches = topicFilterOf(filter);
    const candidates = isExact ? (exact === undefined ? [] : [exact]) : [...byTopic.values()];
    for (const candidate of candidates) {
      const { message } = candidate;
      // Subscribers have received a newer message of the topic meanwhile.
      const isCurrent = byTopic.get(message.topic) === candidate;
      if (isCurrent && isExpired(message, now())) clear(message.topic);
      else if (isCurrent && (isExact || matches(message.topic) !== undefined)) {
        yield message;
        continue;
      }
      yield undefined;
    }
  };

  return {
    /**
     * Keeps a message of an owner. An empty message clears its topic. Returns whether the store has changes to write:
     * not if the limits are reached, unless the message takes no more room than the one before it.
     */
    set: (message: Message, owner: string): boolean => {
      const { topic } = message;
      if (message.payload.length === 0) return clear(topic);
      const before = byTopic.get(topic);
      const after = { message: detached(message), owner };
      if (before !== undefined) room.free(before);
      const isSmaller = before !== undefined && bytesOf(message) <= bytesOf(before.message);
      if (!isSmaller && !room.hasRoomFor(after)) {
        if (before !== undefined) room.take(before);
        return false;
      }
      room.take(after);
      byTopic.set(topic, after);
      store.saveRetained(topic, after);
      return true;
    },
    scan,
    match: (filter: string): Message[] => [...scan(filter)].filter((message) => message !== undefined),
  };
};
