import { columnsOf } from '../series/columns.ts';
import type { LiveNumbers } from '../live/live-numbers.ts';
import type { TimeSpan } from '../series/time-span.ts';
import type { CounterSeries, NumberSeries, StateSeries } from '../series/series.ts';
import type { LiveStates } from '../live/live-states.ts';
import { stateRunsOf } from './state-runs.ts';
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

/** The statistics of a counter: of its rates, with their mean over time, and the increase as the change. */
export function counterStatisticsOf(
  { increases, rates, perMs, startMs }: CounterSeries,
  span: TimeSpan,
): SeriesStatistics | undefined {
  const found = statisticsOf(rates, span);
  if (found === undefined) return undefined;
  const { ts, middle } = columnsOf(increases);
  let [change, elapsedMs] = [0, 0];
  for (let i = 0; i < ts.length; i += 1) {
    if (ts[i]! < span.fromMs || ts[i]! >= span.toMs || Number.isNaN(middle[i])) continue;
    change += middle[i]!;
    elapsedMs += ts[i]! - (ts[i - 1] ?? startMs);
  }
  return { ...found, mean: elapsedMs === 0 ? found.mean : (change / elapsedMs) * perMs, change };
}

interface StateStatistics {
  last: boolean | string;
  /** With buckets, between the last states of buckets. */
  changes: number;
  /** Samples. */
  count: number;
  /** The value that held longest (of booleans: `true`), and its share of the time with a known state, from 0 to 1. */
  main: { value: boolean | string; share: number };
}

/** The statistics of a state within `span` (live samples included); undefined without a state in it. */
export function stateStatisticsOf(
  series: StateSeries,
  span: TimeSpan,
  live?: LiveStates,
): StateStatistics | undefined {
  const runs = stateRunsOf(series, live, span);
  const last = runs.at(-1);
  if (last === undefined) return undefined;
  const heldMs = new Map<boolean | string, number>();
  let knownMs = 0;
  for (const { from, to, value } of runs) {
    const ms = Math.min(to, span.toMs) - Math.max(from, span.fromMs);
    heldMs.set(value, (heldMs.get(value) ?? 0) + ms);
    knownMs += ms;
  }
  const [longest] = [...heldMs].toSorted(([, a], [, b]) => b - a);
  const value = series.kind === 'boolean' ? true : (longest?.[0] ?? last.value);
  return {
    last: last.value,
    changes: runs.filter((run, index) => index > 0 && run.value !== runs[index - 1]?.value).length,
    count: countSamples(series, span, live),
    main: { value, share: (heldMs.get(value) ?? 0) / knownMs },
  };
}

/** The samples of a state within `span`: its history, then live ones after it. */
function countSamples({ columns }: StateSeries, span: TimeSpan, live: LiveStates | undefined): number {
  const { ts, bucketMs = 0, count } = columns;
  let total = 0;
  for (let row = 0; row < ts.length; row += 1) {
    const at = ts[row]!;
    const isBefore = bucketMs === 0 ? at < span.fromMs : at + bucketMs <= span.fromMs;
    if (!isBefore && at < span.toMs) total += count?.[row] ?? 1;
  }
  return total + (live?.countIn(span, ts.at(-1) ?? -Infinity) ?? 0);
}
