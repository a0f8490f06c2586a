import { SampleParser, type MetricName } from '../../telemetry/write/read-samples.ts';
import type { SampleReading } from '../../telemetry/write/sample-reading.ts';
import type { TimeRule } from '../../telemetry/write/sample-time.ts';
import type { MessageRejection } from './message.ts';

const none: ReadonlyMap<string, string> = new Map();

/** A part of a large message as columns. */
export type MessageSlice = {
  readonly format: string | null;
  /** Undefined: the message cannot be read. */
  readonly reading: SampleReading | undefined;
  /** Display names of the devices in it, by external ID. */
  readonly deviceNames: ReadonlyMap<string, string>;
  /** Units of the metrics in it, by `externalId/metric`. */
  readonly units: ReadonlyMap<string, string>;
  /** The device that all samples of the whole message name. */
  readonly soleDevice: string | undefined;
  readonly isSkipped: boolean;
  readonly rejections: readonly MessageRejection[];
};

/** A slice without samples. */
export const noSlice: MessageSlice = {
  format: null,
  reading: undefined,
  deviceNames: none,
  units: none,
  soleDevice: undefined,
  isSkipped: false,
  rejections: [],
};

/** Columns that messages write to, one after another. */
export class MessageColumns {
  readonly parser: SampleParser;
  readonly times: TimeRule;
  /** The number of the next group: the samples of a device at one time. */
  nextGroup = 0;
  /** The values of the current group, and their metrics. Kept between groups for their memory. */
  readonly metrics: MetricName[] = [];
  readonly values: unknown[] = [];

  constructor(times: TimeRule) {
    this.times = times;
    this.parser = new SampleParser(times);
  }
}
