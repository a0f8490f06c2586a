import type { SeriesRow } from '../telemetry/store/embedded/series-table.ts';
import type { ImportedSeries } from '../telemetry/store/imported-series.ts';
import type { MigrationSource } from './migration-source.ts';

/** A text may be a thousand times as long as a number. */
const TEXTS_PER_BATCH = 1_000;

/** The series with the greatest ID so far. `ts`: the last time of it; null: it is complete. */
export type SeriesPosition = { readonly series: number; readonly ts: number | null };

export const FIRST_POSITION: SeriesPosition = { series: 0, ts: null };

/** Samples of consecutive series, and the position after them. */
export type SampleBatch = {
  readonly parts: readonly ImportedSeries[];
  readonly samples: number;
  readonly next: SeriesPosition;
};

/** The samples of a series after a time, in order of time. `lastTs`: null if no more follow. */
const readSeries = (
  { store }: Pick<MigrationSource, 'store'>,
  { id, device, metric }: SeriesRow,
  afterTs: number | null,
  limit: number,
): { part: ImportedSeries | undefined; lastTs: number | null } => {
  const selection = { devices: [device], metrics: [metric], fromMs: -Infinity, toMs: Infinity };
  const after = afterTs === null ? undefined : { device, metric, ts: afterTs };
  const { series, next } = store.reader.scan(selection, limit, after);
  const [found] = series;
  const part = found?.value === undefined ? undefined : { ...found, id, value: found.value };
  return { part, lastTs: next?.ts ?? null };
};

/** The next samples; undefined: none are left. */
const readBatch = (
  source: MigrationSource,
  from: SeriesPosition,
  samplesPerBatch: number,
): SampleBatch | undefined => {
  const parts: ImportedSeries[] = [];
  let next = from;
  let [samples, room] = [0, samplesPerBatch];
  // The series itself again, unless it is complete.
  for (const series of source.store.series.listAfter(from.ts === null ? from.series : from.series - 1)) {
    const weight = series.kind === 'string' ? samplesPerBatch / TEXTS_PER_BATCH : 1;
    const afterTs = series.id === from.series ? from.ts : null;
    const { part, lastTs } = readSeries(source, series, afterTs, Math.ceil(room / weight));
    next = { series: series.id, ts: lastTs };
    if (part !== undefined) parts.push(part);
    const count = part?.ts.length ?? 0;
    samples += count;
    room -= count * weight;
    if (room <= 0 || lastTs !== null) break;
  }
  return next === from ? undefined : { parts, samples, next };
};

/** All samples after a position, by the ID of the series and time, as many at a time as one transaction copies. */
export function* readBatches(
  source: MigrationSource,
  from: SeriesPosition,
  samplesPerBatch: number,
): Generator<SampleBatch, void> {
  for (let position = from; ;) {
    const batch = readBatch(source, position, samplesPerBatch);
    if (batch === undefined) return;
    yield batch;
    position = batch.next;
  }
}
