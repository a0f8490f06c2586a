import type { OverwrittenSeries } from '../../telemetry/write/write-summary.ts';
import type { SpooledSamples } from '../destinations/destination.ts';
import { createRejectionTally } from '../rejections/rejection-tally.ts';
import { rejectedIn, type Stored } from './message-work.ts';

/** Overwritten series reported for a large message. All overwritten samples are counted. */
const MAX_OVERWRITES = 1_000;

/** Adds up the outcomes of the slices of a large message. */
export const createOutcomeSum = () => {
  const tally = createRejectionTally();
  const seenDevices = new Set<string>();
  const overwrites: OverwrittenSeries[] = [];
  const spooled: SpooledSamples[] = [];
  const sum = { newlyStored: 0, skipped: 0, overwritten: 0 };
  let format: string | null = null;
  let soleDevice: string | undefined;
  let skipReason: Stored['skipReason'];
  let accepted = 0;

  const reject = (part: Pick<Stored, 'format' | 'soleDevice' | 'rejections'>): void => {
    format ??= part.format;
    soleDevice ??= part.soleDevice;
    for (const rejection of part.rejections) tally.add(rejection);
  };

  return {
    reject,
    add: (stored: Stored): void => {
      reject(stored);
      accepted += stored.received - rejectedIn(stored);
      sum.newlyStored += stored.newlyStored;
      sum.skipped += stored.skipped;
      skipReason ??= stored.skipReason;
      sum.overwritten += stored.overwritten;
      for (const id of stored.seenDevices) seenDevices.add(id);
      for (const group of stored.spooled) spooled.push(group);
      if (overwrites.length < MAX_OVERWRITES) overwrites.push(...stored.overwrites);
    },
    outcome: (): Stored => {
      const rejections = tally.rejections();
      const received = accepted + rejectedIn({ rejections });
      const ofMessage = { format, soleDevice, skipReason, received, rejections };
      return { ...sum, ...ofMessage, seenDevices: [...seenDevices], overwrites, spooled };
    },
  };
};
