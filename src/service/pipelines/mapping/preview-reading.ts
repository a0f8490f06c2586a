import type { Preview } from '#contract/messages.ts';
import type { DeviceSamples } from '#contract/telemetry.ts';
import { seriesAt, valueAt } from '../../telemetry/store/sample-columns.ts';
import type { SampleReading } from '../../telemetry/write/sample-reading.ts';
import type { TimeRule } from '../../telemetry/write/sample-time.ts';
import { MessageColumns, MessageWriter, type ReadInto } from '../formats/message-writer.ts';

/** Groups the samples of a reading by the object of the message that they come from. */
export const samplesIn = (reading: SampleReading): ReadonlyMap<number, DeviceSamples> => {
  const samples = new Map<number, DeviceSamples>();
  for (const [i, index] of reading.sampleOf.entries()) {
    const { device, metric } = seriesAt(reading.series, reading.index[i]!);
    const ts = reading.ts[i]!;
    const sample = samples.get(index) ?? { device, ...(Number.isNaN(ts) ? {} : { ts }), values: {} };
    sample.values[metric] = valueAt(reading, i);
    samples.set(index, sample);
  }
  return samples;
};

/** The predicted result of a message, without looking up or storing anything. */
export const previewReading = (read: ReadInto, times: TimeRule): Preview => {
  const columns = new MessageColumns(times);
  const notes = { unnamed: new Set<number>(), hasLocalTime: false };
  const writer = new MessageWriter(columns, { notes });
  read(writer);
  const samples = [...samplesIn(columns.parser.reading())];
  return {
    format: writer.format,
    samples: samples.filter(([index]) => !notes.unnamed.has(index)).map(([, sample]) => sample),
    unnamed: samples
      .filter(([index]) => notes.unnamed.has(index))
      .map(([, { device: _, ...sample }]) => sample),
    rejections: writer.rejections.map(({ reason, detail, pointer }) => ({
      reason,
      detail:
        pointer === undefined ? detail : `${pointer.replace(/^\/samples\/\d+\/(values\/)?/, '')}: ${detail}`,
    })),
    skipped: writer.isSkipped,
    noValues: writer.noValues,
    timeZone: notes.hasLocalTime ? times.timeZone : null,
  };
};
