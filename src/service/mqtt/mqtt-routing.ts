import type { Origin } from '../devices/sender.ts';
import type { BrokerStatus } from './listen-for-mqtt.ts';

export type Published = {
  readonly topic: string;
  /** What stands where the filter has its first `+`. */
  readonly level: string | undefined;
  readonly bytes: Uint8Array;
  readonly origin: Origin;
  /** Epoch ms. */
  readonly receivedAtMs: number;
};

/** What sources ask of the broker built in. */
export type MqttRouting = {
  /** Gives what is published to topics of a filter to `handle`; PUBACK waits for it. Returns what ends that. */
  route(filter: string, handle: (message: Published) => Promise<unknown>): () => void;
  /** Tells the status now and whenever it changes. Returns what ends that. */
  watch(listener: (status: BrokerStatus) => void): () => void;
};
