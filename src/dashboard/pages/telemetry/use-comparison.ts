import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { TelemetryAnswer } from '#contract/telemetry.ts';
import { toTimeText } from '#contract/time-range.ts';
import {
  selectsDevices,
  telemetryQueries,
  type SeriesRequest,
} from '../../resources/telemetry/telemetry-queries.ts';
import { rangeMs, type FixedRange, type Range } from '../../resources/telemetry/time-range.ts';
import { useClock } from '../../ui/browser/clock.ts';
import { earlierByMs, type Comparison } from './chart-options.ts';

/** The samples of an earlier period. */
export type ComparedAnswer = {
  answer: TelemetryAnswer;
  /** By how much the period is earlier. */
  shiftMs: number;
  comparison: Comparison;
};

export type ComparisonResult = {
  /** Null without a comparison, and until it is loaded. */
  compared: ComparedAnswer | null;
  /** Why the earlier period could not be loaded. */
  error: Error | null;
  refetch: () => void;
};

type ComparisonRequest = Omit<SeriesRequest, 'from' | 'to'> & {
  range: Range;
  fixedRange: FixedRange | null;
};

/** A live range is compared in steps of its width, so that it sends few requests. */
const LIVE_STEPS = 20;

/** Reads the period that the shown one is compared with. */
export const useComparison = (
  comparison: Comparison | null,
  { range, fixedRange, ...request }: ComparisonRequest,
): ComparisonResult => {
  const stepMs = rangeMs(range) / LIVE_STEPS;
  const liveEndMs = useClock((now) => (fixedRange === null ? Math.ceil(now / stepMs) * stepMs : 0));
  const shown = fixedRange ?? { fromMs: liveEndMs - rangeMs(range) - stepMs, toMs: liveEndMs };
  const shiftMs = comparison === null ? 0 : earlierByMs(comparison, { range, fixedRange });
  const { devices, filter, metrics, points, reduction } = request;
  const choice = JSON.stringify([devices, filter, metrics, reduction, shiftMs]);
  const { data, error, refetch } = useQuery({
    ...telemetryQueries.series({
      ...request,
      from: toTimeText(shown.fromMs - shiftMs),
      to: toTimeText(shown.toMs - shiftMs),
    }),
    enabled: comparison !== null && selectsDevices(request) && metrics.length > 0 && points > 0,
    // The next step of a live range replaces the one before without a gap.
    meta: { choice },
    placeholderData: (before, query) => (query?.meta?.['choice'] === choice ? before : undefined),
  });
  const compared = useMemo(
    () => (comparison === null || data === undefined ? null : { answer: data, shiftMs, comparison }),
    [comparison, data, shiftMs],
  );
  return {
    compared,
    // Without a comparison, the query may be that of the shown range.
    error: comparison === null || data !== undefined ? null : error,
    refetch: () => void refetch(),
  };
};
