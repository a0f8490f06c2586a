import type { Party } from '../events/event-store.ts';

/** The sender of a message or a write. */
export type Origin = {
  /** The actor of the resulting events; null: none. */
  readonly actor: Party | null;
  /** IDs of the devices that the sender is limited to; null: all. */
  readonly devices: readonly string[] | null;
  /**
   * The party for which the registration limit counts new devices: an API key or the operator. Defaults to the actor.
   */
  readonly registrant?: string | undefined;
  /** The MQTT user name. */
  readonly username?: string;
};

/** An origin with the rules for its devices. */
export type Sender = Origin & {
  /** Whether unknown devices are registered. */
  readonly onUnknownDevice: 'register' | 'reject';
  /** A replay does not mark devices as seen. */
  readonly isReplay?: boolean;
  /** An import of history does not either. */
  readonly isBackfill?: boolean;
  /**
   * External IDs of devices that the write only reports as offline. Does not mark them as seen: the broker may have
   * sent the message.
   */
  readonly offlineDevices?: ReadonlySet<string>;
  /** Display names for newly registered devices, by external ID. */
  readonly deviceNames?: ReadonlyMap<string, string>;
  /** Units that the message states, by `externalId/metric`. */
  readonly units?: ReadonlyMap<string, string>;
  /** The unit of a metric in the convention of the sender, for metrics without a stated unit. */
  readonly unitOfMetric?: ((metric: string) => string | undefined) | undefined;
  /** Seconds between two messages of a polled source. Becomes the expected interval of devices without one. */
  readonly expectedInterval?: number;
};
