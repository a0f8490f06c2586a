import type { Value } from '#contract/telemetry.ts';
import type { StreamFrame } from '#contract/stream.ts';

/** Messages to open streams and connections. */
export type LiveTopics = {
  /** `hasChangedState`: false if only the last-seen time changed. */
  device: { frame: StreamFrame<'device'>; hasChangedState: boolean };
  pipeline: StreamFrame<'pipeline'>;
  /** `seq`: the position in the log. */
  event: { event: StreamFrame<'event'>; seq: number };
  /** Accepted values of one series. */
  telemetry: { device: string; metric: string; ts: number[]; value: Value[] };
  storage: StreamFrame<'storage'>;
  /** A client opened a stream that replaces this one, which another process may have. */
  replaced: { actorId: string; streamId: string };
  /** A session or key has ended: its streams and connections must close. */
  ended: { actorId: string };
};

type Listener<K extends keyof LiveTopics> = (message: LiveTopics[K]) => void;

export type LiveBus = {
  publish<K extends keyof LiveTopics>(topic: K, message: LiveTopics[K]): void;
  /** True if somebody receives messages of this topic. */
  hasListeners(topic: keyof LiveTopics): boolean;
  /** Returns a function that ends the subscription. */
  subscribe<K extends keyof LiveTopics>(topic: K, listener: Listener<K>): () => void;
};

/** Publish and subscribe within the process. Listeners must be quick and must not throw. */
export const createLiveBus = (): LiveBus => {
  const listeners = new Map<string, Set<(message: never) => void>>();
  return {
    publish: (topic, message) => {
      for (const listener of listeners.get(topic) ?? []) listener(message as never);
    },
    hasListeners: (topic) => (listeners.get(topic)?.size ?? 0) > 0,
    subscribe: (topic, listener) => {
      const all = listeners.get(topic) ?? new Set();
      listeners.set(topic, all.add(listener));
      return () => void all.delete(listener);
    },
  };
};
