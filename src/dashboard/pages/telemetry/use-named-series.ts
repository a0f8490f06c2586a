import { useMemo, useState } from 'react';
import type { TelemetryAnswer } from '#contract/telemetry.ts';
import { seriesOfAnswer, type SeriesName } from '../../charts/series/series-of-answer.ts';
import { assignStyles, type SeriesStyle } from '../../charts/series/series-style.ts';
import { seriesId, type ChartSeries } from '../../charts/series/series.ts';
import { asCounters, type CounterViews } from '../../resources/telemetry/counters.ts';
import { comparisonWords } from './chart-options.ts';
import type { ChosenDevice } from './chosen-devices.ts';
import type { ComparedAnswer } from './use-comparison.ts';

type Choice = {
  devices: readonly ChosenDevice[];
  metrics: readonly string[];
  namesOf: (device: string, metric: string) => SeriesName;
  counters: CounterViews;
};

/** The shortest distinct label of each series: its device, its metric, or both. And its decimals. */
const namesById = ({ devices, metrics, namesOf }: Choice): Map<string, SeriesName> =>
  new Map(
    devices.flatMap(({ id, name }) =>
      metrics.map((metric) => {
        const { label, decimals } = namesOf(id, metric);
        const both = metrics.length === 1 ? name : `${name} · ${label}`;
        return [seriesId(id, metric), { label: devices.length === 1 ? label : both, decimals }] as const;
      }),
    ),
  );

/** The series of an earlier period at the times of the shown one. */
const comparisonOf = (
  { answer, shiftMs, comparison }: ComparedAnswer,
  named: (answer: TelemetryAnswer) => ChartSeries[],
): ChartSeries[] => {
  const later = answer.series.map((series) => ({ ...series, ts: series.ts.map((ts) => ts + shiftMs) }));
  return named({ ...answer, to: answer.to + shiftMs, series: later }).map((series) => ({
    ...series,
    id: `${series.id}~${comparison}`,
    label: `${series.label}, ${comparisonWords[comparison]}`,
    comparisonOf: series.id,
    laterByMs: shiftMs,
  }));
};

/**
 * The series of a response in the chosen order, each with a label and a stable style, and after each the same series in
 * the compared period.
 */
export const useNamedSeries = (
  answer: TelemetryAnswer | undefined,
  compared: ComparedAnswer | null,
  choice: Choice,
): readonly ChartSeries[] => {
  const names = namesById(choice);
  const isThere = new Set(
    [...(answer?.series ?? []), ...(compared?.answer.series ?? [])].map(({ device, metric }) =>
      seriesId(device, metric),
    ),
  );
  const ids = [...names.keys()].filter((id) => isThere.has(id));

  const [kept, setKept] = useState<ReadonlyMap<string, SeriesStyle>>(new Map());
  const styles = assignStyles(ids, kept);
  const isChanged = ids.length !== kept.size || ids.some((id) => kept.get(id) !== styles.get(id));
  if (answer !== undefined && isChanged) setKept(styles);

  const counters = [...choice.counters];
  const key = JSON.stringify([ids.map((id) => [id, names.get(id), styles.get(id)]), counters]);
  return useMemo(() => {
    if (answer === undefined) return [];
    const named = (from: TelemetryAnswer): ChartSeries[] =>
      asCounters(
        seriesOfAnswer(from, ({ device, metric }) => {
          const id = seriesId(device, metric);
          return { label: metric, decimals: null, ...names.get(id), colour: 1, ...styles.get(id) };
        }),
        choice.counters,
        from.to,
      );
    const all = [...named(answer), ...(compared === null ? [] : comparisonOf(compared, named))];
    const byOriginal = Map.groupBy(all, ({ id, comparisonOf: original }) => original ?? id);
    return ids.flatMap((id) => byOriginal.get(id) ?? []);
    // eslint-disable-next-line react/exhaustive-deps -- new objects count as new data: only what is drawn counts
  }, [answer, compared, key]);
};
