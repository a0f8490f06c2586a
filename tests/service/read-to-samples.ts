import type { Message } from '#service/pipelines/formats/message.ts';
import { MessageColumns } from '#service/pipelines/formats/message-columns.ts';
import { MessageWriter, type ReadInto } from '#service/pipelines/formats/message-writer.ts';
import { readMessage, type Receipt } from '#service/pipelines/formats/read-message.ts';
import { groupsIn } from '#service/pipelines/mapping/preview-reading.ts';
import { defaultTimeRule } from '#service/telemetry/write/sample-time.ts';

/** Reads into columns, and returns the values as samples, with timestamps in epoch ms. */
export const collectSamples = (read: ReadInto) => {
  const columns = new MessageColumns({ ...defaultTimeRule, allowOld: true });
  const writer = new MessageWriter(columns);
  read(writer);
  const { format, deviceNames, units, rejections, noValues, isSkipped } = writer;
  const samples = [...groupsIn(columns.parser.reading()).values()];
  return { format, samples, deviceNames, units, rejections, noValues, isSkipped };
};

export const readToSamples = (
  message: Pick<Message, 'bytes'> & { device?: string | undefined; topic?: string | null },
  receipt: Receipt = { nowMs: 0 },
) => collectSamples((writer) => readMessage({ topic: null, device: undefined, ...message }, receipt, writer));
