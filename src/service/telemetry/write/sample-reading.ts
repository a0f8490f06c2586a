import { pointerOf } from '#contract/json-pointer.ts';
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

/** A reason that rejected `samples` samples of the object or series `index`, at an RFC 6901 pointer into the body. */
export type Rejection = {
  readonly index: number;
  readonly pointer: string;
  /** A RejectionCode, or the code of the device resolver. */
  readonly code: RejectionCode | (string & {});
  readonly detail: string;
  readonly samples: number;
};

/** Where in a body its samples come from. */
type Origins = {
  /** By sample, the index of its object or series in the body. */
  readonly sampleOf: Uint32Array;
  /** By sample, its position in its series. Undefined for samples in objects. */
  readonly positionOf: Uint32Array | undefined;
};

/**
 * A body as columns. Devices are named as the sender names them, by ID or external ID. Sample `i` came from object
 * `sampleOf[i]`. A `ts` of NaN: no timestamp.
 */
export type SampleReading = SampleColumns & Origins & { readonly rejections: readonly Rejection[] };

/** The pointer to a sample of a reading: to its value, device or timestamp. */
export const pointerToValue = (
  { series, index, sampleOf, positionOf }: SampleReading,
  i: number,
  part: 'device' | 'ts' | 'values',
): string => {
  const from = sampleOf[i]!;
  if (positionOf !== undefined)
    return pointerOf(['series', from, part, ...(part === 'device' ? [] : [positionOf[i]!])]);
  const metric = part === 'values' ? [seriesAt(series, index[i]!).metric] : [];
  return pointerOf(['samples', from, part, ...metric]);
};
