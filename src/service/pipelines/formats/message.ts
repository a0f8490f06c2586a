import type { FormatRejection } from './message-format.ts';

/** A message as received. */
export type Message = {
  readonly bytes: Uint8Array;
  readonly topic: string | null;
  /** The device if the message does not name one. */
  readonly device: string | undefined;
  /** The time of receipt in epoch ms, if it is earlier than the call that submits the message. */
  readonly receivedAtMs?: number;
  /** The samples, if the source has read them already. `bytes` is then a text form of them. */
  readonly reading?: {
    readonly samples: readonly unknown[];
    readonly rejections: readonly FormatRejection[];
  };
  /** Display names of the devices, by external ID. */
  readonly deviceNames?: ReadonlyMap<string, string>;
};

/**
 * The counts of a message or a part of it. `seenDevices`: IDs of the devices in it, or in other messages of the same
 * write.
 */
export type MessageOutcome = {
  received: number;
  rejected: number;
  skipped: number;
  overwritten: number;
  seenDevices: readonly string[];
};

/** Why values of a message were rejected. `metric`: set if the reason concerns a single metric. */
export type MessageRejection = {
  readonly reason: string;
  readonly detail: string;
  readonly metric?: string | undefined;
  readonly values: number;
  /** Numbers of the rejected lines of the message, from 0. */
  readonly lines?: readonly number[];
  /** The rejected sample; it may be rejected in part. */
  readonly sample?: unknown;
};

/** The metric in the pointer of a rejected value; undefined if the pointer names another field of the sample. */
export const metricOfPointer = (pointer: string): string | undefined =>
  /^\/samples\/\d+\/values\/(.+)$/.exec(pointer)?.[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
