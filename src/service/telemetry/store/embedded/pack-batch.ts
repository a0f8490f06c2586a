import type { MetricKind, Value } from '#contract/telemetry.ts';
import { KINDS, SERIES_END, seriesName, type PackedBatch, type PackedResult } from './packed-batch.ts';
import type { WriteBatch, WriteResult } from '../telemetry-store.ts';

/** The cell of a value; text is its position in `texts`, to which it is added. NaN where the value is not of its kind. */
const numberFor = (value: Value | undefined, kind: MetricKind, texts: string[]): number => {
  switch (kind) {
    case 'number':
      // JSON has a negative zero that no answer could tell from zero.
      return typeof value === 'number' ? value + 0 : Number.NaN;
    case 'boolean':
      return typeof value === 'boolean' ? Number(value) : Number.NaN;
    default:
      return typeof value === 'string' ? texts.push(value) - 1 : Number.NaN;
  }
};

/**
 * Copies a batch into buffers that can move to another thread, checking it on the way: one wrong value would take down
 * the writes of others in its transaction.
 * @throws TypeError where the batch breaks the rules of WriteBatch
 */
export const packBatch = ({ series, index, ts, value }: WriteBatch): PackedBatch => {
  const { length } = value;
  if (index.length !== length || ts.length !== length)
    throw new TypeError('The columns of a batch of telemetry differ in length.');
  const numbers = new Float64Array(length);
  const texts: string[] = [];
  for (let i = 0; i < length; i += 1) {
    const key = series[index[i]!];
    if (key === undefined) throw new TypeError(`Value ${i} of a batch of telemetry names no series.`);
    const number = numberFor(value[i], key.kind, texts);
    if (!Number.isFinite(number))
      throw new TypeError(`Value ${i} of a batch of telemetry is not a ${key.kind} that can be stored.`);
    if (!Number.isSafeInteger(ts[i])) throw new TypeError(`Value ${i} of a batch of telemetry has no time.`);
    numbers[i] = number;
  }
  return {
    names: series.map(({ device, metric }) => seriesName(device, metric)).join(SERIES_END),
    kinds: Uint8Array.from(series, ({ kind }) => KINDS.indexOf(kind)),
    index: index.slice(),
    ts: ts.slice(),
    numbers,
    texts,
  };
};

export const unpackResult = (
  { index }: Pick<WriteBatch, 'index'>,
  { outcome, kinds: positions, replaced = [] }: PackedResult,
): WriteResult => {
  const kinds = Array.from(positions, (position) => KINDS[position]!);
  const values = replaced.map(
    ([i, cell]) => [i, kinds[index[i]!] === 'boolean' ? cell === 1 : cell] as const,
  );
  return { outcome, kinds, ...(values.length > 0 && { replaced: new Map(values) }) };
};
