import type { SkipReason } from '#contract/messages.ts';
import { metricOfPointer, type Rejection } from '../../telemetry/write/sample-reading.ts';

/** A message as received. */
export type Message = {
  readonly bytes: Uint8Array;
  readonly topic: string | null;
  /** The device if the message does not name one. */
  readonly device: string | undefined;
  /** The time of receipt in epoch ms, if it is earlier than the call that submits the message. */
  readonly receivedAtMs?: number;
  /** Why the source rejects all of it. `bytes` is then a text form of it, which is not read. */
  readonly rejections?: readonly MessageRejection[];
  /** Display names of the devices, by external ID. */
  readonly deviceNames?: ReadonlyMap<string, string>;
  /** Units of the metrics, by `externalId/metric`. */
  readonly units?: ReadonlyMap<string, string>;
};

/**
 * The counts of a message or a part of it. `seenDevices`: IDs of the devices in it, or in other messages of the same
 * write.
 */
export type MessageOutcome = {
  received: number;
  rejected: number;
  skipped: number;
  /** Of a skipped message. */
  skip?: Skip;
  overwritten: number;
  seenDevices: readonly string[];
  rejections: readonly Pick<MessageRejection, 'reason' | 'detail' | 'samples'>[];
};

/** Why a message was skipped, and its detected format; null: none. */
export type Skip = { readonly reason: SkipReason; readonly format: string | null };

/** Why samples of a message were rejected. */
export type MessageRejection = {
  readonly reason: string;
  readonly detail: string;
  /** Set if the reason concerns a single metric. */
  readonly metric?: string | undefined;
  /** The metrics of the rejected samples, if the reason concerns all of a group. */
  readonly metrics?: readonly string[];
  /** Number of rejected samples. A message that cannot be read counts as one. */
  readonly samples: number;
  /** Numbers of the rejected lines of the message, from 0. */
  readonly lines?: readonly number[];
  /** Where the rejected value is, in a message of the Penstock format. */
  readonly pointer?: string;
  /** An expression that maps the message. */
  readonly expression?: string;
  /** The fields of the message that contradict each other. */
  readonly fields?: readonly string[];
};

/** A rejection in a reading as that of a message. */
export const messageRejection = ({ code, pointer, detail, samples }: Rejection): MessageRejection => ({
  reason: code,
  detail,
  samples,
  pointer,
  metric: metricOfPointer(pointer),
});
