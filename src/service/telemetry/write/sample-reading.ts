import { pathOfPointer, pointerOf } from '#contract/json-pointer.ts';
import { seriesAt, type SampleColumns } from '../store/sample-columns.ts';

/** Why a sample was rejected. */
export type RejectionCode =
  | 'invalid-sample'
  | 'invalid-series'
  | 'unknown-field'
  | 'invalid-device'
  | 'invalid-ts'
  | 'ts-implausible'
  | 'invalid-metric'
  | 'invalid-value'
  | 'too-many-metrics'
  | 'invalid-line'
  | 'device-missing'
  | 'duplicate-metric'
  | 'ts-too-far-ahead'
  | 'ts-too-old'
  | 'kind-mismatch'
  | 'metric-limit'
  | 'unknown-device'
  | 'device-deleted';

/** A reason that rejected `samples` samples of the group or series `index`, at an RFC 6901 pointer into the body. */
export type Rejection = {
  readonly index: number;
  readonly pointer: string;
  /** A RejectionCode, or the code of the device resolver. */
  readonly code: RejectionCode | (string & {});
  readonly detail: string;
  readonly samples: number;
  /** The device, as the sender names it, if it is known. */
  readonly device?: string;
};

/** Where in a body its samples come from. */
type Origins = {
  /** By sample, the index of its group or series in the body. */
  readonly groupOf: Uint32Array;
  /** By sample, its position in its series. Undefined for samples in groups. */
  readonly positionOf: Uint32Array | undefined;
};

/**
 * A body as columns. Devices are named as the sender names them, by ID or external ID. Sample `i` is of group
 * `groupOf[i]`: a group is the samples of a device at one time, as they were sent (`DeviceSamples`). A `ts` of NaN: no timestamp.
 */
export type SampleReading = SampleColumns &
  Origins & {
    readonly rejections: readonly Rejection[];
    /** Number of series or samples without a value, such as NaN. They count neither as received nor as rejected. */
    readonly noValues?: number;
  };

/** The pointer to a sample of a reading: to its value, device or timestamp. */
export const pointerToValue = (
  { series, index, groupOf, positionOf }: SampleReading,
  i: number,
  part: 'device' | 'ts' | 'values',
): string => {
  const from = groupOf[i]!;
  if (positionOf !== undefined)
    return pointerOf(['series', from, part, ...(part === 'device' ? [] : [positionOf[i]!])]);
  const metric = part === 'values' ? [seriesAt(series, index[i]!).metric] : [];
  return pointerOf(['samples', from, part, ...metric]);
};

/** The device of a sample of a reading, as the sender names it. */
export const deviceOfSample = ({ series, index }: SampleReading, i: number): string =>
  seriesAt(series, index[i]!).device;

/** The metric of a pointer to a value in `samples`. */
export const metricOfPointer = (pointer: string): string | undefined => {
  const [list, , part, metric] = pathOfPointer(pointer);
  return list === 'samples' && part === 'values' && metric !== '' ? metric : undefined;
};

/** The number of a line from 1 and, if the reason is about a part of it, this field or metric: `3, temperature`. */
export const describeLine = ({
  index,
  pointer = '',
}: {
  index: number;
  pointer?: string | undefined;
}): string => [index + 1, ...pathOfPointer(pointer).slice(2).slice(-1)].join(', ');
