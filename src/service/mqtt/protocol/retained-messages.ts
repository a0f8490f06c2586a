import { topicFilterOf } from '#contract/topic-filter.ts';
import { bytesOf, detached, isExpired, type Message } from './mqtt-message.ts';
import type { MqttStore } from './mqtt-store.ts';

const MAX_TOPICS = 10_000;
const MAX_BYTES = 16 * 1_048_576;

/** The retained message of each topic. The messages are in memory too, so their number and size are limited. */
export const createRetainedMessages = (
  store: Pick<MqttStore, 'retained' | 'saveRetained'>,
  now: () => number,
) => {
  const byTopic = new Map(store.retained.map((message) => [message.topic, message]));
  let bytes = store.retained.reduce((sum, message) => sum + bytesOf(message), 0);

  const clear = (topic: string): boolean => {
    const before = byTopic.get(topic);
    if (before === undefined) return false;
    bytes -= bytesOf(before);
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
    for (const message of candidates) {
      // Subscribers have received a newer message of the topic meanwhile.
      const isCurrent = byTopic.get(message.topic) === message;
      if (isCurrent && isExpired(message, now())) clear(message.topic);
      else if (isCurrent && (isExact || matches(message.topic) !== undefined)) {
        yield message;
        continue;
      }
      yield undefined;
    }
  };

  return {
    /** Keeps a message. An empty message clears its topic. Returns whether the store has changes to write. */
    set: (message: Message): boolean => {
      const { topic } = message;
      if (message.payload.length === 0) return clear(topic);
      const before = byTopic.get(topic);
      const after = bytes - (before === undefined ? 0 : bytesOf(before)) + bytesOf(message);
      if (after > MAX_BYTES || (before === undefined && byTopic.size >= MAX_TOPICS)) return false;
      bytes = after;
      const kept = detached(message);
      byTopic.set(topic, kept);
      store.saveRetained(topic, kept);
      return true;
    },
    scan,
    match: (filter: string): Message[] => [...scan(filter)].filter((message) => message !== undefined),
  };
};
