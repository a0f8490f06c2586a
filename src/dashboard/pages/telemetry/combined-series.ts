import type { Across } from '#contract/across.ts';
import type { Series, TelemetryAnswer } from '#contract/telemetry.ts';
import type { StyledName } from '../../charts/series/series-of-answer.ts';
import { COMBINED, seriesId, type NumberColumn, type NumberSeries } from '../../charts/series/series.ts';
import { asCounterName, counterColumn, type CounterViews } from '../../resources/telemetry/counters.ts';
import { combinedFrom } from './device-display.ts';

/** The lines of an answer that combines devices. Counters have their increases or rates, added up or averaged. */
export const combinedSeries = (
  answer: TelemetryAnswer,
  { across, counters }: { across: Across; counters: CounterViews },
  nameOf: (metric: string) => StyledName,
): NumberSeries[] =>
  answer.series.map((series) => {
    const { metric, unit, ts } = series;
    const view = across === 'count' ? undefined : counters.get(metric);
    const head = { id: seriesId(COMBINED, metric), kind: 'number' as const, unit, ...nameOf(metric) };
    const value = view === undefined ? figuresOf(series, across) : counterColumn(series, view);
    const columns = { bucketMs: answer.bucketMs ?? 1, ts, avg: value, min: value, max: value };
    return view === undefined ? { ...head, columns } : { ...asCounterName(head, view), columns };
  });

const figuresOf = (series: Series, across: Across): NumberColumn =>
  (series[combinedFrom(across)] ?? []).map((value) => (typeof value === 'number' ? value : null));
