import { SampleCollector } from './sample-collector.ts';
import type { SampleReading } from './sample-reading.ts';

/** The main thread takes a few milliseconds to store or spool this number of samples. */
export const SAMPLES_PER_PART = 5_000;
/** A new series costs the store as much as several samples. */
export const SERIES_PER_PART = 1_000;

type Range = { readonly from: number; readonly to: number };

/** Splits a reading between groups. It stays whole if it has few series and less than twice the samples of a part. */
export const rangesOf = ({ index, groupOf, series }: SampleReading): Range[] => {
  const { length } = index;
  if (length < 2 * SAMPLES_PER_PART && series.device.length <= SERIES_PER_PART)
    return [{ from: 0, to: length }];
  const ranges: Range[] = [];
  const used = new Set<number>();
  for (let from = 0, i = 0; i < length; i += 1) {
    used.add(index[i]!);
    const isFull = i + 1 - from >= SAMPLES_PER_PART || used.size >= SERIES_PER_PART;
    if (i + 1 < length && (!isFull || groupOf[i] === groupOf[i + 1])) continue;
    ranges.push({ from, to: i + 1 });
    from = i + 1;
    used.clear();
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
