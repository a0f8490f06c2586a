import { useQuery } from '@tanstack/react-query';
import { CHARTED, telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import { useLiveWindow } from '../../resources/telemetry/use-live-window.ts';
import { rangeEnds, rangeMs, type Range, type FixedRange } from '../../resources/telemetry/time-range.ts';
import { counterRefetchMs, type CounterViews } from '../../resources/telemetry/counters.ts';

type TelemetryRequest = {
  /** Ids. */
  devices: readonly string[];
  metrics: readonly string[];
  range: Range;
  /** Null: the range ends now and is followed live. */
  fixedRange: FixedRange | null;
  /** Metrics that are shown by their increase or rate. */
  counters: CounterViews;
  /** 0 while the width of the chart is not known. */
  points: number;
};

/** The samples of a view in one query, followed by live samples in live mode. */
export const useTelemetry = ({ devices, metrics, range, fixedRange, counters, points }: TelemetryRequest) => {
  const isLive = fixedRange === null;
  const windowMs = rangeMs(range);
  const isChosen = devices.length > 0 && metrics.length > 0;
  const followed = metrics.filter((metric) => !counters.has(metric));
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
    refetchInterval: isLive && followed.length < metrics.length ? counterRefetchMs(windowMs, points) : false,
  });

  const live = useLiveWindow({
    devices,
    metrics: followed,
    query,
    windowMs: isLive ? windowMs : null,
    choice: [...devices, '', ...followed].join(' '),
  });
  return { query, live };
};
