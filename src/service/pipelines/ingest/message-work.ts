import type { SkipReason } from '#contract/messages.ts';
import { unknownDevice } from '../../devices/device-registry.ts';
import type { OverwrittenSeries } from '../../telemetry/write/write-summary.ts';
import type { SpooledSamples } from '../destinations/destination.ts';
import type { MessageRejection } from '../formats/message.ts';
import type { MessageColumns } from '../formats/message-columns.ts';
import { MessageWriter } from '../formats/message-writer.ts';
import { createSampleStamps, stampSamples, type SampleStamps } from './sample-stamps.ts';
import type { Submission } from './submission.ts';

/** The outcome of a message: received = stored or to be spooled + rejected + skipped. */
export type Stored = {
  readonly received: number;
  readonly rejections: readonly MessageRejection[];
  /** The format of the message; null: none. */
  readonly format: string | null;
  /** The device that all samples of the message name. */
  readonly soleDevice?: string | undefined;
  readonly seenDevices: readonly string[];
  /** For a replay: number of samples that were not in the built-in store yet. */
  readonly newlyStored: number;
  /** 1 if the message was skipped, otherwise 0. */
  readonly skipped: number;
  readonly skipReason?: SkipReason | undefined;
  /** Number of its samples that replaced a different value in the built-in store. */
  readonly overwritten: number;
  /** The series whose last overwritten sample came from this message. */
  readonly overwrites: readonly OverwrittenSeries[];
  /** Samples for an external destination. The caller adds them to the spool in the transaction of the ledger. */
  readonly spooled: readonly SpooledSamples[];
};

/** The outcome of a message, or the error if nothing was stored. */
export type Outcome = Stored | { readonly error: unknown };

export const rejectedIn = ({ rejections }: Pick<Stored, 'rejections'>): number =>
  rejections.reduce((sum, { samples }) => sum + samples, 0);

/** Number of rejected samples by reason. */
export const countReasons = (outcomes: readonly Pick<Stored, 'rejections'>[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { rejections } of outcomes)
    for (const { reason, samples } of rejections) counts[reason] = (counts[reason] ?? 0) + samples;
  return counts;
};

/** A message whose samples were read into columns, and its outcome so far. */
export type MessageWork = {
  readonly submission: Submission;
  readonly deviceNames: ReadonlyMap<string, string>;
  readonly units: ReadonlyMap<string, string>;
  /** The number of its first group in the columns. */
  readonly firstGroup: number;
  /** Whether it has samples in the columns. */
  readonly hasSamples: boolean;
  /** Whether the message only says that its devices are offline. */
  readonly saysOffline: boolean;
  /** The stack of the error that the format threw. */
  readonly failure: string | undefined;
  readonly stored: Omit<Stored, 'seenDevices' | 'newlyStored' | 'overwritten'> & {
    readonly rejections: MessageRejection[];
    readonly overwrites: OverwrittenSeries[];
    readonly spooled: SpooledSamples[];
    seenDevices: readonly string[];
    newlyStored: number;
    overwritten: number;
  };
  error?: unknown;
};

/** Why a sender may not write to a device. */
const deviceRule = ({ origin: { devices } }: Submission, externalIds: ReadonlyMap<string, string>) => {
  if (devices === null) return undefined;
  const own = new Set(devices.flatMap((id) => [id, externalIds.get(id)]));
  return (device: string) => (own.has(device) ? undefined : unknownDevice(device));
};

/**
 * Reads a message into columns. `externalIds`: by ID, of the devices that senders are limited to. Samples of other
 * devices are rejected like those of an unknown device.
 */
export const startMessageWork = (
  submission: Submission,
  columns: MessageColumns,
  { externalIds, stamps }: { externalIds: ReadonlyMap<string, string>; stamps: SampleStamps | undefined },
): MessageWork => {
  const { channel, receivedAtMs, replayOf } = submission;
  const firstGroup = columns.nextGroup;
  const samples = columns.parser.columns;
  const writer = new MessageWriter(columns, { rejectDevice: deviceRule(submission, externalIds) });
  writer.read(submission.read);
  // A message stored in part gets the timestamps of its receipt again, so that stored samples are recognised.
  const own = replayOf === 'part' ? createSampleStamps() : stamps;
  stampSamples(samples, writer.from, (device, metrics) =>
    own === undefined ? receivedAtMs : own.stamp(channel.id, device, metrics, receivedAtMs),
  );
  const { rejections, format, deviceNames, units, soleDevice, saysOffline, failure } = writer;
  const valid = samples.length - writer.from;
  const skipped = writer.isSkipped ? 1 : 0;
  const received = valid + rejectedIn(writer) + skipped;
  return {
    submission,
    deviceNames,
    units,
    firstGroup,
    hasSamples: valid > 0,
    saysOffline,
    failure,
    stored: {
      received,
      rejections,
      format,
      soleDevice,
      skipped,
      skipReason: writer.skipReason,
      seenDevices: [],
      newlyStored: 0,
      overwritten: 0,
      overwrites: [],
      spooled: [],
    },
  };
};
