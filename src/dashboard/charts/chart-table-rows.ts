import { columnsOf } from './series/columns.ts';
import type { LiveSource, TimeSpan } from './live/live-window.ts';
import { formatNumber } from './axes/number-format.ts';
import { isNumberSeries, type ChartSeries, type NumberSeries, type StateSeries } from './series/series.ts';
import { stateText } from './series/state-text.ts';
import { partsOf } from './tracks/track.ts';

interface TableRow {
  /** Epoch ms; of a bucket its start. */
  ts: number;
  /** For each series; undefined where it has nothing at that time. */
  cells: readonly (string | undefined)[];
}

export interface TableRows {
  /** The latest first, at most as many as asked for. */
  rows: readonly TableRow[];
  total: number;
  /** The narrowest bucket; 0 where there are raw samples. */
  bucketMs: number;
}

/** What is drawn, a row for each time at which any series has a value. */
export function chartTableRows(
  series: readonly ChartSeries[],
  span: TimeSpan,
  limit: number,
  live?: LiveSource,
  locale?: string,
): TableRows {
  const columns = series.map((each) =>
    isNumberSeries(each) ? numberCells(each, span, live, locale) : stateCells(each, span, live),
  );
  const times = [...new Set(columns.flatMap((cells) => [...cells.keys()]))].toSorted((a, b) => b - a);
  const rows = times.slice(0, limit).map((ts) => ({ ts, cells: columns.map((cells) => cells.get(ts)?.()) }));
  const buckets = series.map((each) =>
    isNumberSeries(each) ? columnsOf(each).bucketMs : (each.columns.bucketMs ?? 0),
  );
  return { rows, total: times.length, bucketMs: Math.min(Infinity, ...buckets) };
}

/** Texts are made for the rows that are shown only. */
type Cells = Map<number, () => string>;

function numberCells(
  series: NumberSeries,
  span: TimeSpan,
  live: LiveSource | undefined,
  locale: string | undefined,
): Cells {
  const cells: Cells = new Map();
  for (const part of partsOf(series, live?.numbers(series.id), span)) {
    const { ts, middle, low, high, bucketMs } = part;
    for (let i = part.from; i < part.to; i += 1) {
      const at = ts[i]!;
      const value = middle[i]!;
      if (at + bucketMs < span.fromMs || at > span.toMs || Number.isNaN(value)) continue;
      const [min, max] = [low?.[i] ?? value, high?.[i] ?? value];
      cells.set(at, () => {
        const text = formatNumber(value, locale);
        return min < max ? `${text} (${formatNumber(min, locale)}–${formatNumber(max, locale)})` : text;
      });
    }
  }
  return cells;
}

function stateCells({ id, columns }: StateSeries, span: TimeSpan, live: LiveSource | undefined): Cells {
  const cells: Cells = new Map();
  const isInside = (ts: number) => ts + (columns.bucketMs ?? 0) >= span.fromMs && ts <= span.toMs;
  for (const [row, value] of columns.value.entries()) {
    const ts = columns.ts[row]!;
    if (isInside(ts)) cells.set(ts, () => stateText(value));
  }
  // Live states are kept as runs: the moments at which they changed.
  for (const run of live?.states(id)?.runs ?? []) {
    if (isInside(run.from)) cells.set(run.from, () => stateText(run.value));
  }
  return cells;
}
