import { useQuery } from '@tanstack/react-query';
import type { Aggregate } from '#contract/telemetry.ts';
import {
  refetchMs,
  selectsDevices,
  telemetryQueries,
  type SeriesRequest,
} from '../../resources/telemetry/telemetry-queries.ts';
import { useLiveWindow } from '../../resources/telemetry/use-live-window.ts';
import { rangeEnds, rangeMs, type Range, type FixedRange } from '../../resources/telemetry/time-range.ts';
import type { CounterViews } from '../../resources/telemetry/counters.ts';

type TelemetryRequest = Pick<SeriesRequest, 'devices' | 'filter' | 'metrics' | 'reduction'> & {
  agg: readonly Aggregate[];
  /** The devices with lines that follow live samples. Combined and ranked devices are read again instead. */
  followedDevices: readonly string[];
  range: Range;
  /** Null: the range ends now and is followed live. */
  fixedRange: FixedRange | null;
  /** Metrics that are shown by their increase or rate. */
  counters: CounterViews;
  /** 0 while the width of the chart is not known. */
  points: number;
};

/** The samples of a view in one query, followed by live samples in live mode. */
export const useTelemetry = ({
  followedDevices,
  range,
  fixedRange,
  counters,
  ...request
}: TelemetryRequest) => {
  const { metrics, points } = request;
  const isLive = fixedRange === null;
  const windowMs = rangeMs(range);
  const isChosen = selectsDevices(request) && metrics.length > 0;
  const followed = followedDevices.length === 0 ? [] : metrics.filter((metric) => !counters.has(metric));
  const isReadAgain = isLive && followed.length < metrics.length;
  const query = useQuery({
    ...telemetryQueries.series({ ...request, ...rangeEnds({ range, fixedRange }) }),
    enabled: isChosen && points > 0,
    // Refetches the history, so that it reaches the first live sample.
    ...(isLive && { staleTime: 0 }),
    refetchInterval: ({ state }) => isReadAgain && refetchMs(windowMs, points, state),
  });

  const live = useLiveWindow({
    devices: followedDevices,
    metrics: followed,
    query,
    windowMs: isLive ? windowMs : null,
    choice: [...followedDevices, '', ...followed].join(' '),
  });
  return { query, live };
};
