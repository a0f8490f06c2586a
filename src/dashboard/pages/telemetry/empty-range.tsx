import { formatMoment, formatSpan } from '../../charts/axes/format-moment.ts';
import type { FixedRange } from '../../resources/telemetry/time-range.ts';
import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import type { TimeZone } from '../../ui/format/intl-formats.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { beginningNear, endingNear, rangeEndTexts, wider } from './fixed-range.ts';

type EmptyRangeProps = {
  fixedRange: FixedRange;
  /** Whether the range follows now. */
  isLive: boolean;
  zone: TimeZone;
  /** First and last samples (epoch ms) of the chosen series. */
  bounds: readonly { firstTs: number; lastTs: number }[];
  onGo: (fixedRange: FixedRange) => void;
};

/** The range with the nearest samples: before this one if there are any, else after it. */
const nearest = (
  fixedRange: FixedRange,
  bounds: EmptyRangeProps['bounds'],
): { text: string; ts: number; to: FixedRange } | null => {
  const lasts = bounds.map(({ lastTs }) => lastTs);
  const before = lasts.filter((ts) => ts < fixedRange.fromMs);
  const after = bounds.map(({ firstTs }) => firstTs).filter((ts) => ts >= fixedRange.toMs);
  if (before.length === 0 && after.length > 0) {
    const ts = Math.min(...after);
    return { text: 'First sample:', ts, to: beginningNear(fixedRange, ts) };
  }
  if (lasts.length === 0) return null;
  const ts = Math.max(...(before.length > 0 ? before : lasts));
  return { text: 'Last sample:', ts, to: endingNear(fixedRange, ts) };
};

/** Whether a series has samples before and after the range. Which of them are the nearest is not known. */
const isWithinSamples = ({ fromMs, toMs }: FixedRange, bounds: EmptyRangeProps['bounds']): boolean =>
  bounds.some(({ firstTs, lastTs }) => firstTs < fromMs && lastTs >= toMs);

/** Shown if the range has no samples, with a button to the nearest ones. */
export const EmptyRange = ({ fixedRange, isLive, zone, bounds, onGo }: EmptyRangeProps) => {
  const isWithin = isWithinSamples(fixedRange, bounds);
  const found = isWithin ? null : nearest(fixedRange, bounds);
  return (
    <EmptyState
      title={
        isLive
          ? `No samples in the last ${formatSpan(fixedRange.toMs - fixedRange.fromMs)}`
          : `No samples between ${rangeEndTexts(fixedRange, zone).join(' and ')}`
      }
      action={
        isWithin ? (
          <Button variant="primary" onClick={() => onGo(wider(fixedRange))}>
            Zoom out
          </Button>
        ) : (
          found !== null && (
            <Button variant="primary" onClick={() => onGo(found.to)}>
              Go to sample
            </Button>
          )
        )
      }
    >
      {isWithin ? (
        'There are samples before and after this range.'
      ) : found === null ? (
        'No samples of these metrics were found.'
      ) : (
        <>
          {found.text} {formatMoment(found.ts, 1_000, zone)}, <RelativeTime at={found.ts} />.
        </>
      )}
    </EmptyState>
  );
};
