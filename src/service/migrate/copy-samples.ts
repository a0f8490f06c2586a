import type { MigrationSteps } from './migration-steps.ts';
import type { SampleDestination } from './sample-destination.ts';
import { FIRST_POSITION, type SampleSource, type SeriesPosition } from './sample-source.ts';

/** Copies all series with their samples. Skips rows that an earlier call has copied. */
export const copySamples = async (
  source: SampleSource,
  destination: SampleDestination,
  steps: MigrationSteps,
): Promise<void> => {
  const saved = await destination.findPosition();
  const from = (saved?.position as SeriesPosition | undefined) ?? FIRST_POSITION;
  const total = source.samples;
  let done = saved?.rows ?? 0;
  const batches = source.readBatches(from, destination.samplesPerBatch);
  for await (const { parts, samples, next } of batches) {
    done += samples;
    await destination.insert(parts, { position: next, rows: done });
    steps.complete({ phase: 'copied', table: 'telemetry_sample', done, total, unit: 'samples' });
  }
  await destination.completeCopy(source.lastSeries);
};
