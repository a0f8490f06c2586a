import type { Across } from '#contract/across.ts';
import type { Aggregate } from '#contract/telemetry.ts';
import { createYield } from '../../platform/event-loop.ts';
import type { IsAwaited } from '../../platform/http/awaited.ts';
import { DeviceCombiner } from '../store/combine-devices.ts';
import type {
  CombinedAggregate,
  CombinedSeries,
  Resolution,
  Selection,
  TelemetryStore,
} from '../store/telemetry-store.ts';
import { deviceSlices, type SeriesOfDevices } from './device-slices.ts';
import { estimateLeastBucketMs } from './least-bucket-width.ts';

/** Series that are read at a time, with other reads and writes in between. */
const SERIES_PER_READ = 64;

type Query = {
  readonly selection: Selection;
  readonly resolution: Resolution;
  readonly across: Across;
  readonly aggregates: readonly Aggregate[];
  readonly seriesOf: SeriesOfDevices;
  readonly isAwaited: IsAwaited;
};

/** The aggregates that are combined. Counting devices needs none. */
const combinedAggregates = (across: Across, aggregates: readonly Aggregate[]): CombinedAggregate[] =>
  across === 'count' ? [] : aggregates.filter((name) => name !== 'count');

/** Reads each metric of all devices as one series of buckets. */
export const combineSeries = async (
  telemetry: TelemetryStore,
  query: Query,
): Promise<{ bucketMs: number; series: CombinedSeries[] }> => {
  const { selection, resolution, across, aggregates, seriesOf, isAwaited } = query;
  const options = {
    across,
    aggregates: combinedAggregates(across, aggregates),
    leastBucketMs:
      'points' in resolution ? await estimateLeastBucketMs(telemetry, query, resolution.points) : 0,
  };
  // The width follows from the range, also without devices, so that all parts have the same.
  const { bucketMs } = await telemetry.readCombined({ ...selection, devices: [] }, resolution, options);
  const buckets = 'points' in resolution ? { bucketMs } : resolution;
  const combiner = new DeviceCombiner(across);
  const yieldIfLong = createYield();
  for await (const devices of deviceSlices(seriesOf, SERIES_PER_READ, isAwaited)) {
    const part = await telemetry.readCombined({ ...selection, devices }, buckets, options);
    for (const each of part.series) {
      combiner.add(each);
      await yieldIfLong();
    }
  }
  const series = [];
  for (const each of combiner.build()) {
    series.push(each);
    await yieldIfLong();
  }
  return { bucketMs, series };
};
