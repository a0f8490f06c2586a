import type { MigrationSource } from './migration-source.ts';
import type { MigrationSteps } from './migration-steps.ts';
import { FIRST_POSITION, readBatches, type SeriesPosition } from './sample-batches.ts';
import type { SampleDestination } from './sample-destination.ts';
import { lastNumberOf } from './source-tables.ts';

/** Copies all series with their samples. Skips rows that an earlier call has copied. */
export const copySamples = async (
  source: MigrationSource,
  destination: SampleDestination,
  steps: MigrationSteps,
): Promise<void> => {
  const saved = await destination.findPosition();
  const from = (saved?.position as SeriesPosition | undefined) ?? FIRST_POSITION;
  const total = source.store.samples;
  let done = saved?.rows ?? 0;
  for (const { parts, samples, next } of readBatches(source, from, destination.samplesPerBatch)) {
    done += samples;
    await destination.insert(parts, { position: next, rows: done });
    steps.complete({ phase: 'copied', table: 'telemetry_sample', done, total, unit: 'samples' });
  }
  await destination.completeCopy(lastNumberOf(source.telemetry, 'series'));
};
