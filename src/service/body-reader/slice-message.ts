import { MessageColumns, type MessageSlice } from '../pipelines/formats/message-columns.ts';
import { MessageWriter } from '../pipelines/formats/message-writer.ts';
import { readMessage, type MessageInput } from '../pipelines/formats/read-message.ts';
import { createRejectionTally } from '../pipelines/rejections/rejection-tally.ts';
import type { SampleReading } from '../telemetry/write/sample-reading.ts';
import { partOf, rangesOf } from '../telemetry/write/split-reading.ts';

/** The names of the devices in a part of a message. */
const namesIn = ({ series }: SampleReading, names: ReadonlyMap<string, string>): Map<string, string> =>
  new Map(series.devices.flatMap((device) => (names.has(device) ? [[device, names.get(device)!]] : [])));

/** The units of the metrics in a part of a message. */
const unitsIn = ({ series }: SampleReading, units: ReadonlyMap<string, string>): Map<string, string> => {
  const own = new Map<string, string>();
  if (units.size === 0) return own;
  for (const [s, d] of series.device.entries()) {
    const key = `${series.devices[d]!}/${series.metrics[series.metric[s]!]!}`;
    const unit = units.get(key);
    if (unit !== undefined) own.set(key, unit);
  }
  return own;
};

type WholeMessage = MessageSlice & { readonly reading: SampleReading };

const slicesOf = function* ({
  reading,
  deviceNames,
  units,
  rejections,
  format,
  soleDevice,
  isSkipped,
  hasLeftOut,
  failure,
}: WholeMessage): Generator<MessageSlice, MessageSlice> {
  const ranges = rangesOf(reading);
  const last = ranges.pop()!;
  const sliceOf = (range: typeof last): MessageSlice => {
    const part = partOf(reading, range);
    return {
      format,
      reading: part,
      deviceNames: namesIn(part, deviceNames),
      units: unitsIn(part, units),
      soleDevice,
      isSkipped,
      hasLeftOut,
      rejections: [],
    };
  };
  for (const range of ranges) yield sliceOf(range);
  return { ...sliceOf(last), rejections, failure };
};

/** Reads a message of any known format, and returns it in slices. The last one has the rejections, counted by reason. */
export const sliceMessage = ({
  bytes,
  device,
  topic,
  times,
  ...receipt
}: MessageInput): Generator<MessageSlice, MessageSlice> => {
  const columns = new MessageColumns(times);
  const tally = createRejectionTally();
  const writer = new MessageWriter(columns, { tally });
  writer.read(() => readMessage({ bytes, topic, device }, receipt, writer));
  const { format, deviceNames, units, soleDevice, isSkipped, hasLeftOut, failure } = writer;
  const reading = columns.reading();
  // The slices do not refer to the bytes, whose memory can be freed.
  return slicesOf({
    format,
    reading,
    deviceNames,
    units,
    soleDevice,
    isSkipped,
    hasLeftOut,
    rejections: tally.rejections(),
    failure,
  });
};
