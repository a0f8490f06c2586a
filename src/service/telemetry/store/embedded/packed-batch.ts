import { KINDS, valueOfCell } from '../sample-columns.ts';
import type { WriteBatch, WriteResult } from '../telemetry-store.ts';

/** A WriteResult on its way back. `replaced`: positions of values, and the values that they replaced. */
export type PackedResult = {
  readonly outcome: Uint8Array;
  /** By series, the position in KINDS of its kind in the store. */
  readonly kinds: Uint8Array;
  readonly replaced?: readonly (readonly [position: number, before: number | string])[];
};

/** The buffers of a packed batch, which move with it. */
export const buffersOf = ({ series, index, ts, cells }: WriteBatch): ArrayBufferLike[] => [
  series.device.buffer,
  series.metric.buffer,
  series.kind.buffer,
  index.buffer,
  ts.buffer,
  cells.buffer,
];

export const unpackResult = (
  { index }: Pick<WriteBatch, 'index'>,
  { outcome, kinds: positions, replaced = [] }: PackedResult,
): WriteResult => {
  const kinds = Array.from(positions, (position) => KINDS[position]!);
  const values = replaced.map(([i, cell]) => [i, valueOfCell(cell, kinds[index[i]!]!)] as const);
  return { outcome, kinds, ...(values.length > 0 && { replaced: new Map(values) }) };
};
