import { describe } from 'vitest';
import { describeModel } from './telemetry-store-model.ts';
import { describeReads } from './telemetry-store-reads.ts';
import { describeWrites } from './telemetry-store-writes.ts';
import { createTestedStore, type StorePlace } from './tested-store.ts';

/**
 * What every engine of TelemetryStore does. An engine may leave out `replaced` of a write; it may also report an overwrite or a
 * duplicate as accepted, if it cannot tell: then these tests need a parameter.
 */
export const describeTelemetryStore = (engine: string, createPlace: () => Promise<StorePlace>) =>
  describe(`samples in ${engine}`, () => {
    const tested = createTestedStore(createPlace);
    describeWrites(tested);
    describeReads(tested);
    describeModel(tested);
  });
