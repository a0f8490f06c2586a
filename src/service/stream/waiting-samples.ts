import type { TelemetryFrame } from '#contract/stream.ts';
import type { Value } from '#contract/telemetry.ts';
import { createSampleBuckets, type SampleBuckets } from './sample-buckets.ts';

/** Number of samples of a series that a frame contains. If there are more, it contains buckets. */
const MAX_SAMPLES = 1_000;
/** The size limit of the waiting samples of one group of clients, by the estimate below. */
const MAX_BYTES = 2_097_152;
const SERIES_BYTES = 150;
const SAMPLE_BYTES = 16;

type Waiting = { device: string; metric: string; ts: number[]; value: Value[]; buckets?: SampleBuckets };
type Message = { device: string; metric: string; ts: readonly number[]; value: readonly Value[] };

export type WaitingSamples = {
  /** Returns false if there was no room. Then all waiting samples are dropped, and the next frame is a `reset`. */
  add(message: Message): boolean;
  /** The approximate size in memory. */
  bytes(): number;
  /** The samples since the previous frame; undefined if there are none. */
  take(): TelemetryFrame | undefined;
};

const bytesOf = (value: Value): number =>
  SAMPLE_BYTES + (typeof value === 'string' ? 2 * Math.max(value.length, SAMPLE_BYTES) : 0);

/** Samples that wait for the next frame, in buckets for series with too many samples. */
export const createWaitingSamples = (): WaitingSamples => {
  const waiting = new Map<string, Waiting>();
  let bytes = 0;

  const fold = (series: Waiting): SampleBuckets => {
    series.buckets ??= createSampleBuckets();
    const before = series.buckets.bytes();
    for (const [row, ts] of series.ts.entries()) {
      series.buckets.add(ts, series.value[row]!);
      bytes -= bytesOf(series.value[row]!);
    }
    bytes += series.buckets.bytes() - before;
    series.ts = [];
    series.value = [];
    return series.buckets;
  };

  return {
    add: ({ device, metric, ts, value }) => {
      const key = `${device}\n${metric}`;
      let series = waiting.get(key);
      if (series === undefined) {
        waiting.set(key, (series = { device, metric, ts: [], value: [] }));
        bytes += SERIES_BYTES;
      }
      for (const [row, at] of ts.entries()) {
        series.ts.push(at);
        series.value.push(value[row]!);
        bytes += bytesOf(value[row]!);
        if (series.ts.length > MAX_SAMPLES) fold(series);
      }
      if (bytes <= MAX_BYTES) return true;
      waiting.clear();
      bytes = 0;
      return false;
    },
    bytes: () => bytes,
    take: () => {
      if (waiting.size === 0) return undefined;
      const series = [...waiting.values()].map((each) => {
        const { device, metric, ts, value } = each;
        return each.buckets === undefined
          ? { device, metric, ts, value }
          : { device, metric, ...fold(each).columns() };
      });
      waiting.clear();
      bytes = 0;
      return { series };
    },
  };
};
