import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import { useLiveSeries } from '../../api/live/use-live.ts';
import { createLiveWindow } from '../../charts/live/live-window.ts';
import { rangeEnds, rangeMs, type Range, type Stretch } from '../../resources/telemetry/time-range.ts';

type Asked = {
  /** Ids. */
  devices: readonly string[];
  metrics: readonly string[];
  range: Range;
  /** Null: the range ends now and is followed live. */
  stretch: Stretch | null;
  /** Whether some metric may hold booleans or strings. */
  hasStates: boolean;
  /** 0 while the width of the chart is not known. */
  points: number;
};

/** The samples of a view in one query, and in live mode what comes after them. */
export const useTelemetry = ({ devices, metrics, range, stretch, hasStates, points }: Asked) => {
  const isLive = stretch === null;
  const isChosen = devices.length > 0 && metrics.length > 0;
  const query = useQuery({
    ...telemetryQueries.series({
      devices,
      metrics,
      ...rangeEnds({ range, stretch }),
      points,
      hasStates,
    }),
    enabled: isChosen && points > 0,
    // A history that live samples are to follow must reach to where they begin.
    ...(isLive && { staleTime: 0 }),
  });

  const windowMs = rangeMs(range);
  const choice = [...devices, '', ...metrics].join(' ');
  const live = useMemo(
    () => (isLive ? createLiveWindow({ windowMs }) : undefined),
    // eslint-disable-next-line react/exhaustive-deps -- another choice begins anew: it was not followed until now
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
