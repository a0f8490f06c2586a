import type { SampleStore } from '../telemetry/store/embedded/sample-store.ts';
import type { SeriesRow } from '../telemetry/store/embedded/series-table.ts';
import type { ImportedSeries } from '../telemetry/store/imported-series.ts';
import { TEXTS_PER_BATCH, type SampleBatch, type SeriesPosition } from './sample-source.ts';

/** The samples of a series after a time, in order of time. `lastTs`: null if no more follow. */
const readSeries = (
  store: SampleStore,
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
  store: SampleStore,
  from: SeriesPosition,
  samplesPerBatch: number,
): SampleBatch | undefined => {
  const parts: ImportedSeries[] = [];
  let next = from;
  let [samples, room] = [0, samplesPerBatch];
  // The series itself again, unless it is complete.
  for (const series of store.series.listAfter(from.ts === null ? from.series : from.series - 1)) {
    const weight = series.kind === 'string' ? samplesPerBatch / TEXTS_PER_BATCH : 1;
    const afterTs = series.id === from.series ? from.ts : null;
    const { part, lastTs } = readSeries(store, series, afterTs, Math.ceil(room / weight));
    next = { series: series.id, ts: lastTs };
    if (part !== undefined) parts.push(part);
    const count = part?.ts.length ?? 0;
    samples += count;
    room -= count * weight;
    if (room <= 0 || lastTs !== null) break;
  }
  return next === from ? undefined : { parts, samples, next };
};

/** All samples after a position, by the ID of the series and time, as many at a time as one step copies. */
export function* readEmbeddedBatches(
  store: SampleStore,
  from: SeriesPosition,
  samplesPerBatch: number,
): Generator<SampleBatch, void> {
  for (let position = from; ;) {
    const batch = readBatch(store, position, samplesPerBatch);
    if (batch === undefined) return;
    yield batch;
    position = batch.next;
  }
}
