import { SampleParser, type MetricName } from '../../telemetry/write/read-samples.ts';
import { SampleCollector } from '../../telemetry/write/sample-collector.ts';
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
  /** Whether the pipeline leaves out samples of the whole message. */
  readonly hasLeftOut: boolean;
  readonly rejections: readonly MessageRejection[];
  /** The stack of the error that the format of the message threw. */
  readonly failure?: string | undefined;
};

/** A slice without samples. */
export const noSlice: MessageSlice = {
  format: null,
  reading: undefined,
  deviceNames: none,
  units: none,
  soleDevice: undefined,
  isSkipped: false,
  hasLeftOut: false,
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
  #hasRemoved = false;

  constructor(times: TimeRule) {
    this.times = times;
    this.parser = new SampleParser(times);
  }

  /** Removes the samples from position `from` on, after the format of a message threw an error. */
  removeFrom(from: number): void {
    this.parser.columns.removeFrom(from);
    this.parser.columns.rejections.length = 0;
    // The next message must not continue a group that the format did not end.
    this.nextGroup += 1;
    this.#hasRemoved = true;
  }

  /** The samples of all messages, without the devices and metrics of samples that were removed. */
  reading(): SampleReading {
    const reading = this.parser.reading();
    if (!this.#hasRemoved) return reading;
    const kept = new SampleCollector();
    kept.addFrom(reading, {});
    return kept.reading();
  }
}
