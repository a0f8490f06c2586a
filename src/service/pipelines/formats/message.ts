import type { FormatRejection } from './message-format.ts';

/** A message as it came. */
export type Message = {
  readonly bytes: Uint8Array;
  readonly topic: string | null;
  /** The device of a message that names none. */
  readonly device: string | undefined;
  /** When it came, where that is known better than by when it is taken. Epoch ms. */
  readonly receivedAtMs?: number;
  /** What the source read already: samples that each have a device, and what it could not. `bytes` is its text. */
  readonly reading?: {
    readonly samples: readonly unknown[];
    readonly rejections: readonly FormatRejection[];
  };
  /** What the source calls its devices, by external id. */
  readonly deviceNames?: ReadonlyMap<string, string>;
};

/** The counts of a message, or of a part of it. `heard`: ids of the devices in it, or in other messages of the same write. */
export type MessageOutcome = {
  received: number;
  rejected: number;
  skipped: number;
  overwritten: number;
  seenDevices: readonly string[];
};

/** Why some values of a message were not taken; `metric` where one cause met one metric. */
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
