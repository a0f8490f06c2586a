import type { Party } from '../events/event-store.ts';

/** Who sent a message or a write. */
export type Origin = {
  /** The actor of the events that it leads to; null: none. */
  readonly actor: Party | null;
  /** Ids of the devices that the sender is limited to; null: all. */
  readonly devices: readonly string[] | null;
  /** The party for which the registration limit counts new devices: an API key or the operator. Defaults to the actor. */
  readonly registrant?: string | undefined;
};

/** An origin, with the rules for the devices that it names. */
export type Sender = Origin & {
  /** Whether an unknown device is registered. */
  readonly onUnknownDevice: 'register' | 'reject';
  /** A replay does not mark devices as seen. */
  readonly isReplay?: boolean;
  /** Names of devices by external ID, for devices that are registered. */
  readonly deviceNames?: ReadonlyMap<string, string>;
  /** Seconds between two messages of a polled source: the expected interval of devices that have none. */
  readonly expectedInterval?: number;
};
