import type { IsAwaited } from '../../platform/http/awaited.ts';
import type { Selection, StoredSeries, TelemetryStore } from '../store/telemetry-store.ts';
import { deviceSlices, type SeriesOfDevices } from './device-slices.ts';

/** Devices that show the usual time between samples. */
const SAMPLED_DEVICES = 32;
const SERIES_PER_READ = 100;
/** Points per series that show it: the time is then exact to about 1/200. */
const SAMPLED_POINTS = 200;
/** The share of series that have a sample in nearly every bucket. */
const COVERED_SHARE = 0.9;
/** Devices that send every minute, but a little late, still have buckets of 2 minutes. */
const ROUNDED_DOWN_SHARE = 0.02;

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Widths that stay the same while the usual time varies a little. Wider ones are whole days. */
const ROUND_WIDTHS_MS = [
  ...[1, 2, 5, 10, 15, 20, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * HOUR_MS),
];

const roundWidth = (widthMs: number): number => {
  const leastMs = widthMs * (1 - ROUNDED_DOWN_SHARE);
  return ROUND_WIDTHS_MS.find((roundMs) => roundMs >= leastMs) ?? Math.ceil(leastMs / DAY_MS) * DAY_MS;
};

const pickEvenly = <T>(list: readonly T[], count: number): T[] => {
  const step = Math.max(1, list.length / count);
  return Array.from({ length: Math.min(count, list.length) }, (_, i) => list[Math.floor(i * step)]!);
};

/** The mean time between samples, NaN without two. */
const stepOf = ({ ts, count }: StoredSeries): number => {
  const samples = count === undefined ? ts.length : count.reduce((sum, each) => sum + each, 0);
  return ts.length < 2 ? Number.NaN : (ts.at(-1)! - ts[0]!) / (samples - 1);
};

type Query = {
  readonly selection: Selection;
  readonly seriesOf: SeriesOfDevices;
  readonly isAwaited: IsAwaited;
};

/**
 * The least width of buckets in which nearly every device has a sample: otherwise a sum goes up and down with the number of
 * devices that happen to be in a bucket. Estimated from some of the devices.
 */
export const estimateLeastBucketMs = async (
  telemetry: TelemetryStore,
  { selection, seriesOf, isAwaited }: Query,
  points: number,
): Promise<number> => {
  const sampled = new Map(pickEvenly([...seriesOf], SAMPLED_DEVICES));
  const resolution = { points: Math.min(points, SAMPLED_POINTS) };
  const stepsMs: number[] = [];
  for await (const devices of deviceSlices(sampled, SERIES_PER_READ, isAwaited)) {
    const { series } = await telemetry.read({ ...selection, devices }, resolution, ['count']);
    stepsMs.push(...series.map(stepOf).filter((stepMs) => stepMs > 0));
  }
  stepsMs.sort((a, b) => a - b);
  return roundWidth(2 * (stepsMs[Math.floor(COVERED_SHARE * (stepsMs.length - 1))] ?? 0));
};
