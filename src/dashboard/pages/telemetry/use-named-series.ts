import { useMemo, useState } from 'react';
import type { Across } from '#contract/across.ts';
import type { Series, TelemetryAnswer } from '#contract/telemetry.ts';
import { seriesOfAnswer, type SeriesName, type StyledName } from '../../charts/series/series-of-answer.ts';
import { assignStyles, type SeriesStyle } from '../../charts/series/series-style.ts';
import { COMBINED_DEVICE, seriesId, type ChartSeries } from '../../charts/series/series.ts';
import { asCounters, type CounterViews } from '../../resources/telemetry/counters.ts';
import { plural } from '../../ui/format/format-number.ts';
import { comparisonWords } from './chart-options.ts';
import type { ChosenDevice } from './chosen-devices.ts';
import { combinedSeries } from './combined-series.ts';
import { acrossWords, displayIn, hasSameLines } from './device-display.ts';
import type { ComparedAnswer } from './use-comparison.ts';

type Choice = {
  /** The devices that have a line. */
  devices: readonly ChosenDevice[];
  metrics: readonly string[];
  namesOf: (device: string, metric: string) => SeriesName;
  counters: CounterViews;
};

/** `Mean of 388 devices`; with several metrics after the name of each. */
const combinedName = (across: Across, { metrics, namesOf }: Choice, series: Series): SeriesName => {
  const { label, decimals } = namesOf('', series.metric);
  const words = acrossWords[across];
  const text = across === 'count' ? words : `${words} of ${plural(series.devices ?? 0, 'device')}`;
  return {
    label: metrics.length === 1 ? text : `${label} · ${text.toLowerCase()}`,
    decimals: across === 'count' ? 0 : decimals,
  };
};

/** The shortest distinct label of each series: its device, its metric, or both. And its decimals. */
const namesById = ({ devices, metrics, namesOf }: Choice): Map<string, SeriesName> =>
  new Map(
    devices.flatMap(({ id, name }) =>
      metrics.map((metric) => {
        const { label, decimals } = namesOf(id, metric);
        if (devices.length === 1) return [seriesId(id, metric), { label, decimals }] as const;
        if (metrics.length === 1) return [seriesId(id, metric), { label: name, decimals }] as const;
        return [seriesId(id, metric), { label: `${name} · ${label}`, deviceName: name, decimals }] as const;
      }),
    ),
  );

const combinedNames = (across: Across, all: readonly Series[], choice: Choice) =>
  new Map(
    all.map((series) => [seriesId(COMBINED_DEVICE, series.metric), combinedName(across, choice, series)]),
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
    ...(series.deviceName !== undefined && {
      deviceName: `${series.deviceName}, ${comparisonWords[comparison]}`,
    }),
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
  const display = displayIn(answer);
  // Right after the display changed, the compared period may still be that of the display before.
  const earlier = compared !== null && hasSameLines(displayIn(compared.answer), display) ? compared : null;
  // A ranking has no other lines than its own.
  const drawn = [...(answer?.series ?? []), ...(display.is === 'top' ? [] : (earlier?.answer.series ?? []))];
  const names = display.is === 'across' ? combinedNames(display.across, drawn, choice) : namesById(choice);
  const isThere = new Set(drawn.map(({ device, metric }) => seriesId(device ?? COMBINED_DEVICE, metric)));
  const ids = [...names.keys()].filter((id) => isThere.has(id));

  const [kept, setKept] = useState<ReadonlyMap<string, SeriesStyle>>(new Map());
  const styles = assignStyles(ids, kept);
  const isChanged = ids.length !== kept.size || ids.some((id) => kept.get(id) !== styles.get(id));
  if (answer !== undefined && isChanged) setKept(styles);

  const counters = [...choice.counters];
  const key = JSON.stringify([ids.map((id) => [id, names.get(id), styles.get(id)]), counters]);
  return useMemo(() => {
    if (answer === undefined) return [];
    const styled = (id: string, metric: string): StyledName => ({
      label: metric,
      decimals: null,
      ...names.get(id),
      colour: 1,
      ...styles.get(id),
    });
    const named = (from: TelemetryAnswer): ChartSeries[] => {
      if (display.is === 'across')
        return combinedSeries(from, { across: display.across, counters: choice.counters }, (series) => ({
          ...styled(seriesId(COMBINED_DEVICE, series.metric), series.metric),
          // The compared period may have another number of devices.
          ...combinedName(display.across, choice, series),
        }));
      const all = seriesOfAnswer(from, ({ device, metric }) =>
        styled(seriesId(device ?? COMBINED_DEVICE, metric), metric),
      );
      return asCounters(all, choice.counters, from.to);
    };
    const all = [...named(answer), ...(earlier === null ? [] : comparisonOf(earlier, named))];
    const byOriginal = Map.groupBy(all, ({ id, comparisonOf: original }) => original ?? id);
    return ids.flatMap((id) => byOriginal.get(id) ?? []);
    // oxlint-disable-next-line react/exhaustive-deps -- new objects count as new data: only what is drawn counts
  }, [answer, earlier, key]);
};
