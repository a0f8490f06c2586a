import { columnsOf } from '../series/columns.ts';
import type { LiveNumbers } from '../live/live-numbers.ts';
import type { TimeSpan } from '../live/live-window.ts';
import type { NumberSeries } from '../series/series.ts';
import { partsOf } from './track.ts';

export interface SeriesStatistics {
  min: number;
  max: number;
  /** The mean of samples: buckets are weighted by their count. */
  mean: number;
  /** For a bucket, its start and its first or last sample; its mean if these are not known. */
  first: { ts: number; value: number };
  last: { ts: number; value: number };
  /** The last minus the first; of increases, their sum. */
  change: number;
  /** Samples. */
  count: number;
}

/** The statistics of all columns, or within `span` (live samples included); undefined without samples. */
export function statisticsOf(
  series: NumberSeries,
  span?: TimeSpan,
  live?: LiveNumbers,
): SeriesStatistics | undefined {
  const range = span ?? { fromMs: -Infinity, toMs: Infinity };
  const { ts } = columnsOf(series);
  const all = { fromMs: Math.min(range.fromMs, ts[0] ?? 0), toMs: Math.max(range.toMs, ts.at(-1) ?? 0) };
  let [min, max, sum, count, increase] = [Infinity, -Infinity, 0, 0, 0];
  let first: SeriesStatistics['first'] | undefined;
  let last: SeriesStatistics['last'] | undefined;
  for (const part of partsOf(series, live, all)) {
    for (let i = part.from; i < part.to; i += 1) {
      const at = part.ts[i]!;
      const value = part.middle[i]!;
      const isBefore = part.bucketMs === 0 ? at < range.fromMs : at + part.bucketMs <= range.fromMs;
      if (Number.isNaN(value) || isBefore || at >= range.toMs) continue;
      const weight = part.count?.[i] ?? 1;
      min = Math.min(min, part.low?.[i] ?? value);
      max = Math.max(max, part.high?.[i] ?? value);
      sum += value * weight;
      count += weight;
      increase += value;
      first ??= { ts: at, value: part.opening?.[i] ?? value };
      last = { ts: at, value: part.closing?.[i] ?? value };
    }
  }
  if (first === undefined || last === undefined) return undefined;
  const change = series.isIncrease === true ? increase : last.value - first.value;
  return { min, max, mean: sum / count, first, last, change, count };
}
