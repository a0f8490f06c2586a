import { useMemo, useState } from 'react';
import type { TelemetryAnswer } from '#contract/telemetry.ts';
import { assignColours } from '../../charts/series/series-colours.ts';
import { seriesOfAnswer } from '../../charts/series/series-of-answer.ts';
import { seriesId, type ChartSeries, type ColourSlot } from '../../charts/series/series.ts';
import type { ChosenDevice } from './chosen-devices.ts';

type Choice = {
  devices: readonly ChosenDevice[];
  metrics: readonly { metric: string; label: string }[];
};

/** What tells a series from the others: its device, its metric, or both. */
const labelsOf = ({ devices, metrics }: Choice): Map<string, string> =>
  new Map(
    devices.flatMap(({ id, name }) =>
      metrics.map(({ metric, label }) => {
        if (devices.length === 1) return [seriesId(id, metric), label] as const;
        return [seriesId(id, metric), metrics.length === 1 ? name : `${name} · ${label}`] as const;
      }),
    ),
  );

/** The series of an answer in the order in which they were chosen, each with a name and a colour that it keeps. */
export const useNamedSeries = (
  answer: TelemetryAnswer | undefined,
  choice: Choice,
): readonly ChartSeries[] => {
  const labels = labelsOf(choice);
  const isThere = new Set(answer?.series.map(({ device, metric }) => seriesId(device, metric)));
  const ids = [...labels.keys()].filter((id) => isThere.has(id));

  const [kept, setKept] = useState<ReadonlyMap<string, ColourSlot>>(new Map());
  const colours = assignColours(ids, kept);
  const isChanged = ids.length !== kept.size || ids.some((id) => kept.get(id) !== colours.get(id));
  if (answer !== undefined && isChanged) setKept(colours);

  const key = JSON.stringify(ids.map((id) => [id, labels.get(id), colours.get(id)]));
  return useMemo(() => {
    if (answer === undefined) return [];
    const all = seriesOfAnswer(answer, ({ device, metric }) => {
      const id = seriesId(device, metric);
      return { label: labels.get(id) ?? metric, colour: colours.get(id) ?? 1 };
    });
    const byId = new Map(all.map((series) => [series.id, series]));
    return ids.flatMap((id) => byId.get(id) ?? []);
    // eslint-disable-next-line react/exhaustive-deps -- new objects count as new data: only what is drawn counts
  }, [answer, key]);
};
