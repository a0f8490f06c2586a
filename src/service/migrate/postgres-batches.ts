import type { ImportedSeries } from '../telemetry/store/imported-series.ts';
import { MAX_SERIES, type SampleScan } from '../telemetry/store/postgres/sample-scan.ts';
import { TEXTS_PER_BATCH, type SampleBatch, type SeriesPosition } from './sample-source.ts';

/** Consecutive series of which a page has the same limit. `last`: the greatest ID. */
type Run = { readonly isText: boolean; readonly last: number };

/** Finds the run that begins with a series. @param texts the ascending IDs of all series of texts */
const createRuns = (texts: readonly number[]) => {
  let at = 0;
  return (first: number): Run => {
    while (at < texts.length && texts[at]! < first) at += 1;
    const isText = texts[at] === first;
    if (!isText) return { isText, last: (texts[at] ?? MAX_SERIES + 1) - 1 };
    let end = at;
    while (texts[end + 1] === texts[end]! + 1) end += 1;
    return { isText, last: texts[end]! };
  };
};

/** All samples after a position. A page has texts or none, because texts may be long. */
export async function* readPostgresBatches(
  scan: SampleScan,
  from: SeriesPosition,
  samplesPerBatch: number,
): AsyncGenerator<SampleBatch, void> {
  const runAt = createRuns(await scan.listTextSeries());
  let next = from;
  while (next.series < MAX_SERIES) {
    const parts: ImportedSeries[] = [];
    let [samples, room] = [0, samplesPerBatch];
    while (room > 0 && next.series < MAX_SERIES) {
      const { isText, last } = runAt(next.ts === null ? next.series + 1 : next.series);
      const weight = isText ? samplesPerBatch / TEXTS_PER_BATCH : 1;
      const limit = Math.ceil(room / weight);
      const page = await scan.readPage(next, last, limit);
      parts.push(...page.parts);
      samples += page.samples;
      room -= page.samples * weight;
      next = page.samples < limit || page.end === undefined ? { series: last, ts: null } : page.end;
    }
    if (samples > 0) yield { parts, samples, next };
  }
}
