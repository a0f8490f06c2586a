import type { LiveSource } from './live/live-window.ts';
import type { TimeSpan } from './series/time-span.ts';
import { formatNumber, formatTogether, formatValue } from '../ui/format/format-value.ts';
import {
  isNumberSeries,
  type ChartSeries,
  type NumberSeries,
  type StateSeries,
  stateText,
} from './series/series.ts';
import { stateStatisticsOf, statisticsOf } from './tracks/statistics.ts';
import { formatSpan } from './axes/format-moment.ts';

/** A series in one sentence: “CPU, 24 h: between 3 and 87 %, last 12 %”. */
export function summariseSeries(
  series: ChartSeries,
  span: TimeSpan,
  live?: LiveSource,
  locale?: string,
): string {
  const head = `${series.label}, ${formatSpan(roundSpan(span.toMs - span.fromMs), locale)}`;
  const found = isNumberSeries(series)
    ? ofNumbers(series, span, live, locale)
    : ofStates(series, span, live, locale);
  return `${head}: ${found ?? 'no data'}`;
}

/** A live window is a few seconds longer than its range. */
function roundSpan(ms: number): number {
  const step = ms < 600_000 ? 1_000 : ms < 86_400_000 ? 60_000 : 3_600_000;
  return Math.round(ms / step) * step;
}

/** Integers stay whole: only decimals are rounded. */
function roundToDigits(value: number): number {
  return Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(4));
}

function ofNumbers(
  series: NumberSeries,
  span: TimeSpan,
  live: LiveSource | undefined,
  locale: string | undefined,
) {
  const statistics = statisticsOf(series, span, live?.numbers(series.id));
  if (statistics === undefined) return undefined;
  const { min, max, last, count } = statistics;
  if (count === 1) return `one sample, ${formatValue(roundToDigits(min), series, locale)}`;
  if (min === max) return `constant at ${formatValue(roundToDigits(min), series, locale)}`;
  const { texts, suffix } = formatTogether([min, max, last.value], series, locale);
  return `between ${texts[0]} and ${texts[1]}${suffix}, last ${texts[2]}${suffix}`;
}

function ofStates(
  series: StateSeries,
  span: TimeSpan,
  live: LiveSource | undefined,
  locale: string | undefined,
) {
  const found = stateStatisticsOf(series, span, live?.states(series.id));
  if (found === undefined) return undefined;
  const { changes, last } = found;
  return changes === 0
    ? `constant at ${stateText(last)}${stepsText(series, locale)}`
    : `${changesText(changes, series, locale)}, last ${stateText(last)}`;
}

/** “3 changes”, of buckets “3 changes in steps of 5 min”. */
export function changesText(changes: number, series: StateSeries, locale?: string): string {
  const count = changes === 0 ? 'no' : formatNumber(changes, locale);
  return `${count} ${changes > 1 ? 'changes' : 'change'}${stepsText(series, locale)}`;
}

/** A bucket keeps only its last state, so changes within a bucket are unknown. */
function stepsText({ columns: { bucketMs } }: StateSeries, locale?: string): string {
  return bucketMs === undefined ? '' : ` in steps of ${formatSpan(bucketMs, locale)}`;
}
