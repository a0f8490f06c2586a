import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import { useLiveSeries } from '../../api/live/use-live.ts';
import { createLiveWindow } from '../../charts/live/live-window.ts';
import { rangeEnds, rangeMs, type Range, type FixedRange } from '../../resources/telemetry/time-range.ts';
import { defaultAggregates, type Aggregate, type TelemetryAnswer } from '#contract/telemetry.ts';
import { assignStyles, type SeriesStyle } from '../../charts/series/series-style.ts';
import { seriesOfAnswer } from '../../charts/series/series-of-answer.ts';
import { seriesId, type ChartSeries } from '../../charts/series/series.ts';
import type { ChosenDevice } from './chosen-devices.ts';

/** What charts draw, and the first and last samples, so that statistics are exact. */
const CHARTED: readonly Aggregate[] = [...defaultAggregates, 'first', 'last'];

type Asked = {
  /** Ids. */
  devices: readonly string[];
  metrics: readonly string[];
  range: Range;
  /** Null: the range ends now and is followed live. */
  fixedRange: FixedRange | null;
  /** 0 while the width of the chart is not known. */
  points: number;
};

/** The samples of a view in one query, followed by live samples in live mode. */
export const useTelemetry = ({ devices, metrics, range, fixedRange, points }: Asked) => {
  const isLive = fixedRange === null;
  const isChosen = devices.length > 0 && metrics.length > 0;
  const query = useQuery({
    ...telemetryQueries.series({
      devices,
      metrics,
      ...rangeEnds({ range, fixedRange }),
      points,
      agg: CHARTED,
    }),
    enabled: isChosen && points > 0,
    // Refetches the history, so that it reaches the first live sample.
    ...(isLive && { staleTime: 0 }),
  });

  const windowMs = rangeMs(range);
  const choice = [...devices, '', ...metrics].join(' ');
  const live = useMemo(
    () => (isLive ? createLiveWindow({ windowMs }) : undefined),
    // eslint-disable-next-line react/exhaustive-deps -- a new choice was not followed until now
    [isLive, windowMs, choice],
  );
  useLiveSeries(
    isLive ? devices : [],
    metrics,
    (frame) => live?.append(frame),
    () => {
      if (points > 0) void query.refetch();
    },
  );
  return { query, live };
};

type Choice = {
  devices: readonly ChosenDevice[];
  metrics: readonly { metric: string; label: string }[];
};

/** The shortest distinct label of each series: its device, its metric, or both. */
const labelsOf = ({ devices, metrics }: Choice): Map<string, string> =>
  new Map(
    devices.flatMap(({ id, name }) =>
      metrics.map(({ metric, label }) => {
        if (devices.length === 1) return [seriesId(id, metric), label] as const;
        return [seriesId(id, metric), metrics.length === 1 ? name : `${name} · ${label}`] as const;
      }),
    ),
  );

/** The series of a response in the chosen order, each with a label and a stable style. */
export const useNamedSeries = (
  answer: TelemetryAnswer | undefined,
  choice: Choice,
): readonly ChartSeries[] => {
  const labels = labelsOf(choice);
  const isThere = new Set(answer?.series.map(({ device, metric }) => seriesId(device, metric)));
  const ids = [...labels.keys()].filter((id) => isThere.has(id));

  const [kept, setKept] = useState<ReadonlyMap<string, SeriesStyle>>(new Map());
  const styles = assignStyles(ids, kept);
  const isChanged = ids.length !== kept.size || ids.some((id) => kept.get(id) !== styles.get(id));
  if (answer !== undefined && isChanged) setKept(styles);

  const key = JSON.stringify(ids.map((id) => [id, labels.get(id), styles.get(id)]));
  return useMemo(() => {
    if (answer === undefined) return [];
    const all = seriesOfAnswer(answer, ({ device, metric }) => {
      const id = seriesId(device, metric);
      return { label: labels.get(id) ?? metric, colour: 1, ...styles.get(id) };
    });
    const byId = new Map(all.map((series) => [series.id, series]));
    return ids.flatMap((id) => byId.get(id) ?? []);
    // eslint-disable-next-line react/exhaustive-deps -- new objects count as new data: only what is drawn counts
  }, [answer, key]);
};
