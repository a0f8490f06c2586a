import type { MetricKind, Value } from '#contract/telemetry.ts';

/** Kinds by the number that stands for them in a column. */
export const KINDS: readonly MetricKind[] = ['number', 'boolean', 'string'];
export const KIND = { number: 0, boolean: 1, string: 2 } as const satisfies Record<MetricKind, number>;

/** A stored value: booleans are 0 and 1. */
export type Cell = number | string;

export const valueOfCell = (cell: Cell, kind: MetricKind): Value => (kind === 'boolean' ? cell === 1 : cell);

/** Values of one series. */
export type Cells = Float64Array | readonly string[];

export type SeriesKey = { readonly device: string; readonly metric: string; readonly kind: MetricKind };

/**
 * Series as columns: series `s` is the metric `metrics[metric[s]]` of the device `devices[device[s]]`, and its values
 * have the kind `KINDS[kind[s]]`. No two series have the same device, metric and kind.
 */
export type SeriesColumns = {
  readonly devices: readonly string[];
  readonly metrics: readonly string[];
  readonly device: Uint32Array;
  readonly metric: Uint32Array;
  readonly kind: Uint8Array;
};

/**
 * Samples as columns, which move between threads without a copy: sample `i` belongs to series `index[i]`, at `ts[i]`
 * epoch ms. Its cell is a finite number, 0 or 1 for a boolean, or the position of a text in `texts`.
 */
export type SampleColumns = {
  readonly series: SeriesColumns;
  readonly index: Uint32Array;
  readonly ts: Float64Array;
  readonly cells: Float64Array;
  readonly texts: readonly string[];
};

export const seriesAt = (
  { devices, metrics, device, metric, kind }: SeriesColumns,
  s: number,
): SeriesKey => ({
  device: devices[device[s]!]!,
  metric: metrics[metric[s]!]!,
  kind: KINDS[kind[s]!]!,
});

export const valueAt = ({ series, index, cells, texts }: SampleColumns, i: number): Value => {
  const cell = cells[i]!;
  switch (series.kind[index[i]!]) {
    case KIND.number:
      return cell;
    case KIND.boolean:
      return cell === 1;
    default:
      return texts[cell]!;
  }
};
