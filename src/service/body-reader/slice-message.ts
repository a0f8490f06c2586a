import { createRejectionTally } from '../pipelines/rejections/rejection-tally.ts';
import { isObject, type FormatReading } from '../pipelines/formats/message-format.ts';
import {
  finishReading,
  recogniseMessage,
  valuesIn,
  type MessageInput,
  type MessageReading,
  type MessageSlice,
} from '../pipelines/formats/read-message.ts';
import { rejectCollisions } from '../pipelines/formats/ts-collisions.ts';
import { metricOfPointer } from '../pipelines/formats/message.ts';
import { SampleParser } from '../telemetry/write/read-samples.ts';
import { readSampleTime, type TimeRule } from '../telemetry/write/sample-time.ts';
import { VALUES_PER_SLICE } from './reader-protocol.ts';

const SAMPLES_AT_ONCE = 500;
/**
 * In larger messages only the samples of a slice are checked for collisions: comparing all would take too much memory.
 */
const MAX_COMPARED_SAMPLES = 100_000;

const namesOf = (samples: readonly unknown[], names: ReadonlyMap<string, string>): Map<string, string> => {
  const own = new Map<string, string>();
  if (names.size === 0) return own;
  for (const sample of samples) {
    const device = isObject(sample) ? sample['device'] : undefined;
    const name = typeof device === 'string' ? names.get(device) : undefined;
    if (typeof device === 'string' && name !== undefined) own.set(device, name);
  }
  return own;
};

/** A message in a known format. Nothing of it refers to the bytes, whose memory can be freed. */
type RecognisedMessage = {
  readonly format: string;
  readonly deviceNames: ReadonlyMap<string, string>;
  /** Emptied as they are read: a million read samples would not fit in memory. */
  readonly samples: unknown[];
  /** Adds the device to samples that have none, unless that is done. */
  readonly finish: (samples: readonly unknown[]) => Pick<MessageReading, 'samples' | 'rejections'>;
};

const slicesOf = function* (
  { format, deviceNames, samples, finish }: RecognisedMessage,
  tally: ReturnType<typeof createRejectionTally>,
  times: TimeRule,
): Generator<MessageSlice, MessageSlice> {
  let slice: unknown[] = [];
  let values = 0;
  for (let start = 0; start < samples.length; start += SAMPLES_AT_ONCE) {
    const part = finish(samples.slice(start, start + SAMPLES_AT_ONCE));
    samples.fill(undefined, start, start + SAMPLES_AT_ONCE);
    for (const rejection of part.rejections) tally.add(rejection);
    const reader = new SampleParser(times);
    for (const sample of part.samples) {
      const before = { good: reader.length, bad: reader.rejections.length };
      reader.add(0, sample);
      if (reader.length === before.good)
        for (const { code, detail, pointer, values: count } of reader.rejections.slice(before.bad))
          tally.add({ reason: code, detail, metric: metricOfPointer(pointer), values: count });
      else {
        slice.push(sample);
        values += valuesIn(sample);
      }
      if (values < VALUES_PER_SLICE.message) continue;
      yield { format, samples: slice, deviceNames: namesOf(slice, deviceNames), rejections: [] };
      slice = [];
      values = 0;
    }
  }
  return { format, samples: slice, deviceNames: namesOf(slice, deviceNames), rejections: tally.rejections() };
};

/**
 * Reads a message of any known format in slices. Samples without a valid value stay in this thread: the last slice
 * counts them by reason, together with the parts that could not be read.
 */
export const sliceMessage = (input: MessageInput): Iterator<MessageSlice, MessageSlice | undefined> => {
  const { bytes, device, pipelineDevice, nowMs, times } = input;
  const recognised = recogniseMessage({ bytes, topic: null, device }, { nowMs, pipelineDevice });
  if ('samples' in recognised)
    return [
      { format: null, samples: [], deviceNames: new Map(), rejections: recognised.rejections },
    ].values();
  const { format, reading, device: fallback } = recognised;
  const { samples, deviceNames = new Map<string, string>(), rejections = [], noValues = 0 } = reading;
  const finish = (some: readonly unknown[], before: FormatReading['rejections'] = []) =>
    finishReading(format, { samples: some, rejections: before, noValues }, fallback);
  const isCompared = samples.length <= MAX_COMPARED_SAMPLES;
  const whole = isCompared
    ? rejectCollisions(finish(samples, rejections), (ts) => readSampleTime(ts, times))
    : { samples, rejections };
  const tally = createRejectionTally();
  for (const cause of whole.rejections ?? []) tally.add(cause);
  return slicesOf(
    {
      format,
      deviceNames,
      samples: [...whole.samples],
      finish: isCompared ? (some) => ({ samples: some, rejections: [] }) : finish,
    },
    tally,
    times,
  );
};
