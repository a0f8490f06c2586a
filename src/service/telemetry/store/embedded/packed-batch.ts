import type { MetricKind } from '#contract/telemetry.ts';

/** A packed batch has positions in this list instead of kinds. */
export const KINDS: readonly MetricKind[] = ['number', 'boolean', 'string'];

/** Neither an id nor the name of a metric can hold a line feed or a NUL. */
export const seriesName = (device: string, metric: string): string => `${device}\n${metric}`;
export const SERIES_END = '\0';

/**
 * A WriteBatch as sent to the worker: booleans are 0 and 1, text is its position in `texts`. The names of its series
 * are one text, and their kinds positions in KINDS: a thousand objects would take longer on the way than to be written.
 */
export type PackedBatch = {
  readonly names: string;
  readonly kinds: Uint8Array;
  readonly index: Uint32Array;
  readonly ts: Float64Array;
  readonly numbers: Float64Array;
  readonly texts: readonly string[];
};

/** A WriteResult on its way back. `replaced`: positions of values, and the values that they replaced. */
export type PackedResult = {
  readonly outcome: Uint8Array;
  readonly kinds: Uint8Array;
  readonly replaced?: readonly (readonly [position: number, before: number | string])[];
};

/** Characters of text in a batch. */
export const textLengthOf = ({ texts }: Pick<PackedBatch, 'texts'>): number =>
  texts.reduce((sum, text) => sum + text.length, 0);
