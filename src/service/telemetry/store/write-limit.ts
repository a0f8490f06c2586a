import { StoreBusy } from '../../platform/storage/store-errors.ts';
import { textLengthOf } from './pack-batch.ts';
import type { WriteBatch } from './telemetry-store.ts';

/** Samples that may wait to be written. Beyond that a write is rejected, so that memory stays bounded. */
const MAX_WAITING_SAMPLES = 1_000_000;
const MAX_WAITING_TEXT = 64 * 1024 * 1024;

/** Counts the samples and texts that wait to be written. @throws StoreBusy beyond the limit */
export const createWriteLimit = () => {
  let waitingSamples = 0;
  let waitingText = 0;
  return async <T>(batch: WriteBatch, write: () => Promise<T>): Promise<T> => {
    if (waitingSamples > MAX_WAITING_SAMPLES || waitingText > MAX_WAITING_TEXT)
      throw new StoreBusy(`${waitingSamples} samples wait to be written.`);
    const { length } = batch.index;
    const textLength = textLengthOf(batch);
    waitingSamples += length;
    waitingText += textLength;
    try {
      return await write();
    } finally {
      waitingSamples -= length;
      waitingText -= textLength;
    }
  };
};
