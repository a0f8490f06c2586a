import type { Origin } from '../devices/sender.ts';
import type { BrokerStatus } from './listen-for-mqtt.ts';

export type Published = {
  readonly topic: string;
  /** The topic level at the first `+` of the filter. */
  readonly level: string | undefined;
  readonly bytes: Uint8Array;
  readonly origin: Origin;
  /** Epoch ms. */
  readonly receivedAtMs: number;
};

/** What sources use of the embedded broker. */
export type MqttRouting = {
  /**
   * Calls `handle` for messages that match the filter, and delays the PUBACK until it resolves. Returns a function that
   * removes the route.
   */
  route(filter: string, handle: (message: Published) => Promise<unknown>): () => void;
  /** Publishes a message to subscribers, with QoS 0. */
  publish(topic: string, bytes: Uint8Array): void;
  /** The retained messages that match a filter. */
  retained(filter: string): readonly Pick<Published, 'topic' | 'bytes'>[];
  /** Calls the listener with the current status and after each change. Returns a function that removes the listener. */
  watch(listener: (status: BrokerStatus) => void): () => void;
};
