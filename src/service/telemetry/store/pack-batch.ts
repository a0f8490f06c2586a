import { KIND, KINDS } from './sample-columns.ts';
import type { WriteBatch } from './telemetry-store.ts';

const isCell = (cell: number, kind: number | undefined, texts: number): boolean => {
  switch (kind) {
    case KIND.number:
      return Number.isFinite(cell);
    case KIND.boolean:
      return cell === 0 || cell === 1;
    default:
      return Number.isInteger(cell) && cell >= 0 && cell < texts;
  }
};

/**
 * Copies a batch into new buffers and checks it: one wrong value would fail the other writes of the transaction.
 * @throws TypeError where the batch breaks the rules of WriteBatch
 */
export const packBatch = ({ series, units, index, ts, cells, texts }: WriteBatch): WriteBatch => {
  const { length } = index;
  if (cells.length !== length || ts.length !== length)
    throw new TypeError('The columns of a batch of telemetry differ in length.');
  const { kind } = series;
  const packed = new Float64Array(length);
  for (let i = 0; i < length; i += 1) {
    const s = index[i]!;
    const cell = cells[i]!;
    if (s >= kind.length)
      throw new TypeError(
        `Sample ${i} of a batch of telemetry has the series index ${s}; the batch has ${kind.length} series.`,
      );
    if (!isCell(cell, kind[s], texts.length))
      throw new TypeError(
        `Sample ${i} of a batch of telemetry is not a ${KINDS[kind[s]!]} that can be stored.`,
      );
    if (!Number.isSafeInteger(ts[i]))
      throw new TypeError(`Sample ${i} of a batch of telemetry has no valid timestamp.`);
    // JSON has a negative zero, which responses cannot distinguish from zero.
    packed[i] = cell + 0;
  }
  const { devices, metrics, device, metric } = series;
  return {
    series: { devices, metrics, device: device.slice(), metric: metric.slice(), kind: kind.slice() },
    index: index.slice(),
    ts: ts.slice(),
    cells: packed,
    texts,
    ...(units !== undefined && { units }),
  };
};

/** Characters of text in a batch. */
export const textLengthOf = ({ texts }: Pick<WriteBatch, 'texts'>): number =>
  texts.reduce((sum, text) => sum + text.length, 0);
