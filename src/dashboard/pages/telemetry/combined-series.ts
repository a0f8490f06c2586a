import type { Across } from '#contract/across.ts';
import type { Series, TelemetryAnswer } from '#contract/telemetry.ts';
import type { StyledName } from '../../charts/series/series-of-answer.ts';
import { COMBINED_DEVICE, seriesId, type NumberSeries } from '../../charts/series/series.ts';
import { asCounterName, counterColumn, type CounterViews } from '../../resources/telemetry/counters.ts';
import { combinedAggregate } from './device-display.ts';

/** With less than this share of the devices, a combined line jumps without a change of any of them. */
const NEARLY_ALL = 0.95;

/** A metric whose line leaves out devices in some buckets. `least`: the smallest number of devices in a bucket. */
export type IncompleteMetric = { metric: string; least: number; devices: number };

/** The metrics whose combined line leaves out more than a few devices in some buckets. */
export const incompleteMetrics = (answer: TelemetryAnswer, counters: CounterViews): IncompleteMetric[] =>
  answer.series.flatMap((series) => {
    const { metric, count = [], devices = 0 } = series;
    const counts = count.slice(...completeRows(series, answer, counters.has(metric)));
    const least = counts.reduce((smallest, each) => Math.min(smallest, each), devices);
    return least < devices * NEARLY_ALL ? [{ metric, least, devices }] : [];
  });

/** The lines of an answer that combines devices. Counters have the increases or rates of each device, combined. */
export const combinedSeries = (
  answer: TelemetryAnswer,
  { across, counters }: { across: Across; counters: CounterViews },
  nameOf: (series: Series) => StyledName,
): NumberSeries[] =>
  answer.series.map((series) => {
    const { metric, unit } = series;
    const view = across === 'count' ? undefined : counters.get(metric);
    const head = { id: seriesId(COMBINED_DEVICE, metric), kind: 'number' as const, unit, ...nameOf(series) };
    const [first, end] = completeRows(series, answer, view !== undefined);
    const all = view === undefined ? valuesOf(series, across) : counterColumn(series, view);
    const value = all.slice(first, end);
    const ts = series.ts.slice(first, end);
    const columns = { bucketMs: answer.bucketMs ?? 1, ts, avg: value };
    return view === undefined ? { ...head, columns } : { ...asCounterName(head, view), columns };
  });

const valuesOf = (series: Series, across: Across): readonly (number | null)[] =>
  (series[combinedAggregate[across]] ?? []).map((value) => (typeof value === 'number' ? value : null));

/**
 * The rows without a first or last bucket that the range cuts off, if devices are missing in it: a sum would fall by
 * them, and a mean would be that of others. Of a counter, a cut-off bucket has part of an increase, and the bucket
 * after it lacks the increases of the missing devices.
 */
const completeRows = (
  { ts, count = [] }: Series,
  { from, to, bucketMs }: TelemetryAnswer,
  isCounter: boolean,
): [first: number, end: number] => {
  const end = ts.length;
  const isMissing = (row: number, neighbour: number) => (count[row] ?? 0) < (count[neighbour] ?? 0);
  const isFirstCut = (ts[0] ?? from) < from && isMissing(0, 1);
  const isLastCut = (ts[end - 1] ?? 0) + (bucketMs ?? 0) > to && (isCounter || isMissing(end - 1, end - 2));
  return [isFirstCut ? (isCounter ? 2 : 1) : 0, isLastCut ? end - 1 : end];
};
