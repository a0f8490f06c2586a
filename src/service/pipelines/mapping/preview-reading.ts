import type { Preview } from '#contract/messages.ts';
import type { Sample } from '#contract/telemetry.ts';
import { seriesAt, valueAt } from '../../telemetry/store/sample-columns.ts';
import { readSamples } from '../../telemetry/write/read-samples.ts';
import type { SampleReading } from '../../telemetry/write/sample-reading.ts';
import { isLocalTime, readSampleTime, type TimeRule } from '../../telemetry/write/sample-time.ts';
import { isObject } from '../formats/message-format.ts';
import type { MessageReading } from '../formats/read-message.ts';
import { rejectCollisions } from '../formats/ts-collisions.ts';

/** Groups the values of a reading into samples. */
const samplesOf = (reading: SampleReading): Sample[] => {
  const bySample = new Map<number, Sample>();
  for (const [i, index] of reading.sampleOf.entries()) {
    const { device, metric } = seriesAt(reading.series, reading.index[i]!);
    const ts = reading.ts[i]!;
    const sample = bySample.get(index) ?? { device, ...(Number.isNaN(ts) ? {} : { ts }), values: {} };
    sample.values[metric] = valueAt(reading, i);
    bySample.set(index, sample);
  }
  return [...bySample.values()];
};

/** A placeholder for the device of samples without one. */
const ANY_DEVICE = 'any';

/** The samples that would be stored if something named their device. */
const unnamedSamples = (unnamed: readonly unknown[], times: TimeRule): Preview['unnamed'] => {
  const named = unnamed.map((sample) => (isObject(sample) ? { ...sample, device: ANY_DEVICE } : sample));
  const reading = readSamples(named, times);
  return samplesOf(reading).map(({ device: _, ...sample }) => sample);
};

/** The predicted result of a message, without looking up or storing anything. */
export const previewReading = (read: MessageReading, times: TimeRule): Preview => {
  const readTime = (ts: unknown) => readSampleTime(ts, times);
  const {
    format,
    samples,
    unnamed = [],
    rejections,
    isSkipped = false,
    noValues = 0,
  } = rejectCollisions(read, readTime);
  const reading = readSamples(samples, times);
  return {
    format,
    samples: samplesOf(reading),
    unnamed: unnamedSamples(unnamed, times),
    rejections: [
      ...rejections.map(({ reason, detail }) => ({ reason, detail })),
      ...reading.rejections.map(({ code, pointer, detail }) => ({
        reason: code,
        detail: `${pointer.replace(/^\/samples\/\d+\/(values\/)?/, '')}: ${detail}`,
      })),
    ],
    skipped: isSkipped,
    noValues,
    timeZone: [...samples, ...unnamed].some((sample) => isObject(sample) && isLocalTime(sample['ts']))
      ? times.timeZone
      : null,
  };
};
