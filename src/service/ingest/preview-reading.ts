import type { Preview } from '#contract/messages.ts';
import type { Sample } from '#contract/telemetry.ts';
import { readSamples } from '../telemetry/read-samples.ts';
import { isLocalTime, readSampleTime, type TimeRule } from '../telemetry/sample-time.ts';
import { isObject } from './formats/message-format.ts';
import type { MessageReading } from './formats/read-message.ts';
import { rejectCollisions } from './formats/ts-collisions.ts';

/** What a message would become, as far as the message alone tells: nothing is looked up and nothing is stored. */
export const previewReading = (read: MessageReading, times: TimeRule): Preview => {
  const readTime = (ts: unknown) => readSampleTime(ts, times);
  const { format, samples, refused, isSkipped = false, noValues = 0 } = rejectCollisions(read, readTime);
  const reading = readSamples(samples, times);
  const bySample = new Map<number, Sample>();
  for (const [i, value] of reading.value.entries()) {
    const { device, metric } = reading.series[reading.seriesOf[i]!]!;
    const [index, ts] = [reading.sampleOf[i]!, reading.ts[i]!];
    const sample = bySample.get(index) ?? { device, ...(Number.isNaN(ts) ? {} : { ts }), values: {} };
    sample.values[metric] = value;
    bySample.set(index, sample);
  }
  return {
    format,
    samples: [...bySample.values()],
    rejections: [
      ...refused.map(({ reason, detail }) => ({ reason, detail })),
      ...reading.rejections.map(({ code, pointer, detail }) => ({
        reason: code,
        detail: `${pointer.replace(/^\/samples\/\d+\/(values\/)?/, '')}: ${detail}`,
      })),
    ],
    skipped: isSkipped,
    noValues,
    timeZone: samples.some((sample) => isObject(sample) && isLocalTime(sample['ts'])) ? times.timeZone : null,
  };
};
