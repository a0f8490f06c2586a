import type { Value } from '#contract/telemetry.ts';
import type { WriteBatch } from '#service/telemetry/store/telemetry-store.ts';
import { SampleCollector } from '#service/telemetry/write/sample-collector.ts';

export type GivenSample = { device?: string; metric?: string; ts: number; value: Value };

/** A batch of these values, in their order. */
export const batchOf = (values: readonly GivenSample[]): WriteBatch => {
  const collector = new SampleCollector();
  for (const [i, { device = 'dev_a', metric = 'temp', ts, value }] of values.entries())
    collector.add(i, collector.series.deviceNumber(device), collector.series.metricNumber(metric), ts, value);
  return collector.reading();
};
