import { columnsOf } from '../series/columns.ts';
import type { LiveNumbers } from '../live/live-numbers.ts';
import type { TimeSpan } from '../series/time-span.ts';
import type { NumberSeries } from '../series/series.ts';
import { partsOf } from './track.ts';

/** A sample, or a bucket with its start, mean and range. */
interface ValueRow {
  ts: number;
  value: number;
  low: number;
  high: number;
  /** Null: not known. */
  count: number | null;
}

/** The start of the bucket of a time: buckets are aligned to the epoch. Raw samples (0) keep their time. */
export const bucketStart = (ts: number, bucketMs: number): number =>
  bucketMs === 0 ? ts : Math.floor(ts / bucketMs) * bucketMs;

/** The values of a series in a span, oldest first. Live samples are combined into buckets as wide as those of the history. */
export function valueRowsOf(
  series: NumberSeries,
  live: LiveNumbers | undefined,
  span: TimeSpan,
): readonly ValueRow[] {
  const grainMs = columnsOf(series).bucketMs;
  const rows: ValueRow[] = [];
  for (const { ts, middle, low, high, count, bucketMs, from, to } of partsOf(series, live, span)) {
    const ownMs = Math.max(grainMs, bucketMs);
    for (let i = from; i < to; i += 1) {
      const value = middle[i]!;
      const at = ts[i]!;
      const isBefore = ownMs === 0 ? at < span.fromMs : at + ownMs <= span.fromMs;
      if (isBefore || at >= span.toMs || Number.isNaN(value)) continue;
      const row: ValueRow = {
        // Buckets of the history keep their time: calendar days begin at midnight.
        ts: bucketMs === grainMs || grainMs === 0 ? at : bucketStart(at + bucketMs / 2, grainMs),
        value,
        low: low?.[i] ?? value,
        high: high?.[i] ?? value,
        count: count?.[i] ?? (bucketMs === 0 ? 1 : null),
      };
      const last = rows.at(-1);
      const isLater = last === undefined || row.ts >= last.ts + (bucketMs === grainMs ? 1 : grainMs);
      if (!isLater) rows[rows.length - 1] = combined(last, row);
      else rows.push(row);
    }
  }
  return rows;
}

function combined(before: ValueRow, after: ValueRow): ValueRow {
  const [first, second] = [before.count ?? 1, after.count ?? 1];
  return {
    ts: before.ts,
    value: before.value + ((after.value - before.value) * second) / (first + second),
    low: Math.min(before.low, after.low),
    high: Math.max(before.high, after.high),
    count: before.count === null || after.count === null ? null : first + second,
  };
}
