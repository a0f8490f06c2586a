import { isUnwritable } from '../../platform/storage/disk-full.ts';
import type { Ingest } from '../../telemetry/write/ingest-samples.ts';
import { readSamples } from '../../telemetry/write/read-samples.ts';
import { epochMsRule } from '../../telemetry/write/sample-time.ts';
import type { TelemetryStore } from '../../telemetry/store/telemetry-store.ts';
import { DatabaseUnavailable } from '../../platform/storage/dialects/database-unavailable.ts';
import { StoreBusy, TelemetryUnavailable } from '../../platform/storage/store-errors.ts';
import { DeliveryFailure, type OpenDestination } from './destination.ts';

/** The built-in store, for samples that were in the spool when the pipeline changed to this destination. */
export const openTelemetry = (ingest: Ingest, telemetry: TelemetryStore): OpenDestination => ({
  deliver: async ({ samples }) => {
    const reading = readSamples(samples, epochMsRule);
    const sender = { actor: null, devices: null, onUnknownDevice: 'register' } as const;
    const { rejections } = await ingest.accept(reading, sender).catch((error: unknown) => {
      const isUnavailable =
        isUnwritable(error) ||
        error instanceof StoreBusy ||
        error instanceof DatabaseUnavailable ||
        error instanceof TelemetryUnavailable;
      if (isUnavailable) throw new DeliveryFailure('unavailable', error.message, { cause: error });
      throw error;
    });
    const [first] = rejections;
    if (first !== undefined) throw new DeliveryFailure('unacceptable', first.detail);
  },
  probe: async () => {
    await telemetry.stats();
    return 'The built-in store is available.';
  },
  close: async () => undefined,
});
