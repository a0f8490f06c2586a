import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { TelemetryAnswer } from '#contract/telemetry.ts';
import { createLiveWindow, type LiveSource } from '../../charts/live/live-window.ts';
import { useFollowedSeries } from './use-followed-series.ts';

type Followed = {
  devices: readonly string[];
  metrics: readonly string[];
  /** The history, read again after a gap in the stream. */
  query: Pick<UseQueryResult<TelemetryAnswer>, 'data' | 'isPlaceholderData' | 'refetch'>;
  /** Null: the range is fixed. */
  windowMs: number | null;
  /** A change starts a new window, since what was not followed until now is missing in the old one. */
  choice: string;
};

/** The live samples that follow the history of a query; undefined for a fixed range. */
export const useLiveWindow = ({
  devices,
  metrics,
  query,
  windowMs,
  choice,
}: Followed): LiveSource | undefined => {
  const live = useMemo(
    () => (windowMs === null ? undefined : createLiveWindow({ windowMs })),
    // oxlint-disable-next-line react/exhaustive-deps -- see `choice`
    [windowMs, choice],
  );
  useFollowedSeries(live, {
    devices,
    metrics,
    history: query.isPlaceholderData ? undefined : query.data,
    onGap: () => void query.refetch(),
  });
  return live;
};
