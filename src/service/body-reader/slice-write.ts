import { addWrite, scanWrite, type WriteInput } from '../telemetry/write/read-telemetry-body.ts';
import { SampleParser } from '../telemetry/write/read-samples.ts';
import type { TimeRule } from '../telemetry/write/sample-time.ts';
import { isFullPart, partOf, rangesOf } from '../telemetry/write/split-reading.ts';
import type { WriteSlice } from './reader-protocol.ts';

/** An answer lists at most this number of errors. */
const REJECTIONS_PER_SLICE = 100;
/** Rejected samples cost the main thread nothing, but a slice must not take long to read. */
const READ_PER_SLICE = 40_000;

const startReader = (times: TimeRule): SampleParser => new SampleParser(times, REJECTIONS_PER_SLICE);

/** The slices that `steps` read into the current reader; the last one is returned. It does not hold the body, whose memory can be freed. */
const slicesOf = function* (
  steps: Iterable<void>,
  current: { reader: SampleParser },
  times: TimeRule,
): Generator<WriteSlice, WriteSlice | undefined> {
  // A full slice waits for the next step, which shows whether it is the last one.
  let full: WriteSlice | undefined;
  for (const _ of steps) {
    if (full !== undefined) yield full;
    full = undefined;
    const { columns } = current.reader;
    const isFull =
      isFullPart(columns.length, columns.series.devices.length) ||
      columns.received + columns.noValues >= READ_PER_SLICE;
    if (!isFull) continue;
    full = columns.reading();
    current.reader = startReader(times);
  }
  const { received, noValues } = current.reader.columns;
  if (received + noValues === 0) return full;
  if (full !== undefined) yield full;
  return current.reader.reading();
};

/** The last part is returned. */
const partsOf = function* (reading: WriteSlice): Generator<WriteSlice, WriteSlice> {
  const ranges = rangesOf(reading);
  for (const range of ranges.slice(0, -1)) yield partOf(reading, range);
  return partOf(reading, ranges.at(-1)!);
};

/** Reads a telemetry write in slices. @throws UnreadableBody before the first slice, so that nothing is stored */
export const sliceWrite = (input: WriteInput): Generator<WriteSlice, WriteSlice | undefined> => {
  const scanned = scanWrite(input);
  if (scanned !== undefined) return partsOf(scanned);
  const current = { reader: startReader(input.times) };
  const steps = addWrite(input, () => current.reader);
  return slicesOf(steps, current, input.times);
};
