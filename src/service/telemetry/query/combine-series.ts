import type { Across } from '#contract/across.ts';
import type { Aggregate } from '#contract/telemetry.ts';
import { DeviceCombiner } from '../store/combine-devices.ts';
import type {
  CombinedAggregate,
  CombinedSeries,
  Resolution,
  Selection,
  TelemetryStore,
} from '../store/telemetry-store.ts';
import type { DeviceSlices } from './device-slices.ts';

/** Devices that are read at a time, with other reads and writes in between. */
const DEVICES_PER_READ = 16;

/** Devices that show the usual time between samples. */
const SAMPLED_DEVICES = 32;
/** The share of series that have a sample in nearly every bucket. */
const SHARE = 0.9;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Widths that stay the same while the usual time varies a little. */
const ROUND_WIDTHS_MS = [
  ...[1, 2, 5, 10, 15, 20, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * HOUR_MS),
];

type Query = {
  readonly selection: Selection;
  readonly resolution: Resolution;
  readonly across: Across;
  readonly aggregates: readonly Aggregate[];
};

const evenlyFrom = (devices: readonly string[], most: number): string[] => {
  const step = Math.max(1, devices.length / most);
  return Array.from({ length: Math.min(most, devices.length) }, (_, i) => devices[Math.floor(i * step)]!);
};

/**
 * The least width of buckets in which nearly every device has a sample: otherwise a sum goes up and down with the number of
 * devices that happen to be in a bucket. Estimated from some of the devices.
 */
const leastWidthOf = async (
  telemetry: TelemetryStore,
  { fromMs, toMs, ...selection }: Selection,
  points: number,
): Promise<number> => {
  const devices = evenlyFrom(selection.devices, SAMPLED_DEVICES);
  const { series } = await telemetry.read({ ...selection, devices, fromMs, toMs }, { points }, ['count']);
  const stepsMs = series
    .map(({ ts, count }) => {
      const samples = count === undefined ? ts.length : count.reduce((sum, each) => sum + each, 0);
      return ((ts.at(-1) ?? 0) - (ts[0] ?? 0)) / (samples - 1);
    })
    .filter((stepMs) => stepMs > 0 && Number.isFinite(stepMs))
    .toSorted((a, b) => a - b);
  const leastMs = 2 * (stepsMs[Math.floor(SHARE * (stepsMs.length - 1))] ?? 0);
  return ROUND_WIDTHS_MS.find((widthMs) => widthMs >= leastMs) ?? toMs - fromMs;
};

/** The aggregates that are combined. Counting devices needs none. */
const combinedAggregates = (across: Across, aggregates: readonly Aggregate[]): CombinedAggregate[] =>
  across === 'count' ? [] : aggregates.filter((name) => name !== 'count');

/** Reads each metric of all devices as one series of buckets. */
export const combineSeries = async (
  telemetry: TelemetryStore,
  { selection, resolution, across, aggregates }: Query,
  slices: DeviceSlices,
): Promise<{ bucketMs: number; series: CombinedSeries[] }> => {
  const leastBucketMs =
    'points' in resolution ? await leastWidthOf(telemetry, selection, resolution.points) : 0;
  const how = { across, aggregates: combinedAggregates(across, aggregates), leastBucketMs };
  const combiner = new DeviceCombiner(across);
  let width = resolution;
  let bucketMs = 'bucketMs' in resolution ? resolution.bucketMs : 0;
  for await (const devices of slices(selection.devices, DEVICES_PER_READ)) {
    const part = await telemetry.readCombined({ ...selection, devices }, width, how);
    bucketMs = part.bucketMs;
    // The width follows from the range, so all parts have that of the first.
    if ('points' in width) width = { bucketMs };
    for (const series of part.series) combiner.add(series);
  }
  return { bucketMs, series: combiner.build() };
};
