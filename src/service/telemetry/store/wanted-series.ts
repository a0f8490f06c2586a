import { KINDS, type SeriesColumns } from './sample-columns.ts';
import type { WriteBatch } from './telemetry-store.ts';

/** A series to create. `kind` is a position in KINDS. */
export type WantedSeries = { device: string; metric: string; kind: number; unit: string | null };

export const seriesKeyOf = ({ device, metric }: Pick<WantedSeries, 'device' | 'metric'>): string =>
  `${device}\0${metric}`;

const nameAt = ({ devices, metrics, device, metric }: SeriesColumns, s: number) => ({
  device: devices[device[s]!]!,
  metric: metrics[metric[s]!]!,
});

/** The series that the samples of batches name, by key. The first sample of a series sets its kind and unit. */
export const wantedBy = (batches: readonly WriteBatch[]): Map<string, WantedSeries> => {
  const wanted = new Map<string, WantedSeries>();
  for (const { series, units, index } of batches)
    for (const s of new Set(index)) {
      const name = nameAt(series, s);
      const key = seriesKeyOf(name);
      if (!wanted.has(key)) wanted.set(key, { ...name, kind: series.kind[s]!, unit: units?.[s] ?? null });
    }
  return wanted;
};

/** The wanted series that their devices may have. `counts`: how many series each device has. */
export const limitSeries = (
  wanted: readonly WantedSeries[],
  counts: ReadonlyMap<string, number>,
  perDevice: number,
): WantedSeries[] => {
  const counted = new Map(counts);
  return wanted.filter(({ device }) => {
    const count = counted.get(device) ?? 0;
    counted.set(device, count + 1);
    return count < perDevice;
  });
};

/** The known series of each batch by its position there: null if it is not known, undefined if no sample names it. */
export const findInBatches = <K>(
  batches: readonly WriteBatch[],
  known: ReadonlyMap<string, K>,
): (K | null | undefined)[][] =>
  batches.map(({ series, index }) => {
    const found = Array.from<K | null | undefined>({ length: series.kind.length });
    for (const s of new Set(index)) found[s] = known.get(seriesKeyOf(nameAt(series, s))) ?? null;
    return found;
  });

/** The kind that each series of a batch has in the store. */
export const kindsOf = (
  { kind: given }: SeriesColumns,
  found: readonly ({ readonly kind: number } | null | undefined)[],
) => Array.from(given, (kind, s) => KINDS[found[s]?.kind ?? kind]!);
