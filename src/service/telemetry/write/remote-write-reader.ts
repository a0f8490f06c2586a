import { InvalidSeries, readLabelledSeries, type LabelledSeries } from './labelled-series.ts';
import { LabelledSeriesWriter } from './labelled-series-writer.ts';
import { requireProtobuf } from './protobuf-fields.ts';
import type { SampleParser } from './read-samples.ts';
import { uncompressSnappy } from './snappy.ts';
import { UnreadableBody } from './unreadable-body.ts';
import { WriteRequest } from './write-request.ts';

/** A slice ends between two steps of this many samples. */
const SAMPLES_PER_STEP = 1_000;

const HISTOGRAM =
  'The series has native histograms, which Penstock does not store. Remove send_native_histograms, and send classic histograms.';

/** The numbers of the shortest valid series and samples in a body of 20 MiB. More cannot all be valid. */
const MAX_COUNTS = { series: 600_000, samples: 2_400_000 };

/** Reads a request to its end, so that nothing is stored of one that is invalid. @throws UnreadableBody */
const openRequest = (bytes: Uint8Array): WriteRequest => {
  const read = new WriteRequest(bytes);
  const counts = { series: 0, samples: 0 };
  requireProtobuf('a prometheus.WriteRequest', () => {
    for (; read.nextSeries(); counts.series += 1) while (read.nextSample()) counts.samples += 1;
  });
  for (const part of ['series', 'samples'] as const)
    if (counts[part] > MAX_COUNTS[part])
      throw new UnreadableBody(
        'body-too-large',
        `The body contains ${counts[part]} ${part}. The limit is ${MAX_COUNTS[part]} ${part}. Split it and send several requests.`,
      );
  return new WriteRequest(bytes);
};

/** The labels of the series; undefined: its samples are rejected. */
const readSeries = (
  request: WriteRequest,
  index: number,
  parser: SampleParser,
  deviceLabels: readonly string[],
): LabelledSeries | undefined => {
  try {
    return readLabelledSeries(request.readLabels(), deviceLabels);
  } catch (error) {
    if (!(error instanceof InvalidSeries)) throw error;
    const { message } = error;
    parser.reject(index, [], 'invalid-series', () => `The series ${message}.`, request.samples);
    return undefined;
  }
};

/**
 * Adds the series of a Prometheus remote write to the current reader, in steps that may end a slice. `deviceLabels`: the labels that
 * may name the device, the preferred one first.
 * @throws UnreadableBody before it adds anything
 */
export const addRemoteWrite = function* (
  bytes: Uint8Array,
  reader: () => SampleParser,
  deviceLabels: readonly string[],
): Generator<void> {
  const request = openRequest(uncompressSnappy(bytes));
  const writer = new LabelledSeriesWriter({
    names: deviceLabels,
    variable: 'PROMETHEUS_DEVICE_LABELS',
    noun: 'label',
  });
  for (let index = 0; request.nextSeries(); index += 1) {
    const { samples, histograms } = request;
    if (histograms > 0) reader().reject(index, [], 'invalid-series', HISTOGRAM, histograms);
    const series = samples === 0 ? undefined : readSeries(request, index, reader(), deviceLabels);
    if (series !== undefined && writer.begin(reader(), index, series, samples))
      for (let read = 1; request.nextSample(); read += 1) {
        writer.add(reader(), request.timestamp, request.value);
        if (read % SAMPLES_PER_STEP === 0) yield;
      }
    yield;
  }
};
