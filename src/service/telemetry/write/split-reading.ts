import { SampleCollector } from './sample-collector.ts';
import type { SampleReading } from './sample-reading.ts';

/** The main thread takes a few milliseconds to store or spool this number of samples. */
export const SAMPLES_PER_PART = 5_000;
/** A new series costs the store as much as several samples, and a new device costs the main thread a row. */
const SERIES_PER_PART = 5_000;
const DEVICES_PER_PART = 1_000;

/** Whether a part with these numbers of samples and devices is full. It has at most as many series as samples. */
export const isFullPart = (samples: number, devices: number): boolean =>
  samples >= SAMPLES_PER_PART || devices > DEVICES_PER_PART;

type Range = { readonly from: number; readonly to: number };

/** Splits a reading between groups. It stays whole if it has few devices and series and less than twice the samples of a part. */
export const rangesOf = ({ index, groupOf, series }: SampleReading): Range[] => {
  const { length } = index;
  const isWhole =
    length < 2 * SAMPLES_PER_PART &&
    series.device.length <= SERIES_PER_PART &&
    series.devices.length <= DEVICES_PER_PART;
  if (isWhole) return [{ from: 0, to: length }];
  const ranges: Range[] = [];
  const devices = new Set<number>();
  for (let from = 0, i = 0; i < length; i += 1) {
    devices.add(series.device[index[i]!]!);
    const isFull = isFullPart(i + 1 - from, devices.size);
    if (i + 1 < length && (!isFull || groupOf[i] === groupOf[i + 1])) continue;
    ranges.push({ from, to: i + 1 });
    from = i + 1;
    devices.clear();
  }
  return ranges;
};

/** The samples of a range, with the devices and metrics that they use. */
export const partOf = (reading: SampleReading, range: Range): SampleReading => {
  if (range.to - range.from === reading.index.length) return reading;
  const part = new SampleCollector();
  part.addFrom(reading, range);
  return part.reading();
};
