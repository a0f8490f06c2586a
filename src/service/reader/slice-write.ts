import { VALUES_PER_SLICE, type WriteSlice } from './reader-protocol.ts';
import { addWrite, type WriteInput } from '../telemetry/write/read-telemetry-body.ts';
import { SampleReader } from '../telemetry/write/read-samples.ts';
import type { Rejection, SampleReading } from '../telemetry/write/sample-reading.ts';

/** An answer lists at most this number of errors. */
const REJECTIONS_PER_SLICE = 100;

/** The first rejections, and one that counts the values of all others. */
const limitRejections = (rejections: readonly Rejection[]): readonly Rejection[] => {
  const others = rejections.slice(REJECTIONS_PER_SLICE);
  const [first] = others;
  if (first === undefined) return rejections;
  const values = others.reduce((sum, rejection) => sum + rejection.values, 0);
  return [...rejections.slice(0, REJECTIONS_PER_SLICE), { ...first, values }];
};

const sliceOf = (reading: SampleReading): WriteSlice => ({
  ...reading,
  rejections: limitRejections(reading.rejections),
});

/** Reads a telemetry write in slices. @throws UnreadableBody before the first slice, so that nothing is stored */
export function* sliceWrite({ bytes, format, times }: WriteInput): Generator<WriteSlice> {
  let reader = new SampleReader(times);
  for (const _ of addWrite(format, bytes, () => reader)) {
    if (reader.received < VALUES_PER_SLICE) continue;
    yield sliceOf(reader.reading);
    reader = new SampleReader(times);
  }
  if (reader.received > 0) yield sliceOf(reader.reading);
}
