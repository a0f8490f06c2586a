import { describe } from 'vitest';
import { describeModel } from './telemetry-store-model.ts';
import { describeReads } from './telemetry-store-reads.ts';
import { describeWrites } from './telemetry-store-writes.ts';
import { createTestedStore, type StorePlace, type StoreTraits } from './tested-store.ts';

/** What every engine of TelemetryStore does. An engine may leave out `replaced` of a write. */
export const describeTelemetryStore = (
  engine: string,
  createPlace: () => Promise<StorePlace>,
  traits?: Partial<StoreTraits>,
) =>
  describe(`samples in ${engine}`, () => {
    const tested = createTestedStore(createPlace, traits);
    describeWrites(tested);
    describeReads(tested);
    describeModel(tested);
  });
