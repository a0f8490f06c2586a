import { formatMoment, formatSpan } from '../../charts/axes/time-format.ts';
import type { Stretch } from '../../resources/telemetry/time-range.ts';
import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import type { TimeZoneChoice } from '../../ui/format/format-time.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { beginningNear, endingNear, stretchEnds } from './stretch.ts';

type Props = {
  stretch: Stretch;
  /** The range ends now, and goes on. */
  isLive: boolean;
  zone: TimeZoneChoice;
  /** First and last samples (epoch ms) of the chosen series. */
  bounds: readonly { firstTs: number; lastTs: number }[];
  onGo: (stretch: Stretch) => void;
};

/** Where the nearest samples are: before the range if there are any, else after it. */
const nearest = (
  stretch: Stretch,
  bounds: Props['bounds'],
): { text: string; ts: number; to: Stretch } | null => {
  const lasts = bounds.map(({ lastTs }) => lastTs);
  const before = lasts.filter((ts) => ts < stretch.fromMs);
  const after = bounds.map(({ firstTs }) => firstTs).filter((ts) => ts >= stretch.toMs);
  if (before.length === 0 && after.length > 0) {
    const ts = Math.min(...after);
    return { text: 'First sample:', ts, to: beginningNear(stretch, ts) };
  }
  if (lasts.length === 0) return null;
  const ts = Math.max(...(before.length > 0 ? before : lasts));
  return { text: 'Last sample:', ts, to: endingNear(stretch, ts) };
};

/** No sample lies in the range: says so, and leads to where there are some. */
export const EmptyRange = ({ stretch, isLive, zone, bounds, onGo }: Props) => {
  const found = nearest(stretch, bounds);
  return (
    <EmptyState
      title={
        isLive
          ? `No samples in the last ${formatSpan(stretch.toMs - stretch.fromMs)}`
          : `No samples between ${stretchEnds(stretch, zone).join(' and ')}`
      }
      action={
        found !== null && (
          <Button look="primary" onClick={() => onGo(found.to)}>
            Go to sample
          </Button>
        )
      }
    >
      {found === null ? (
        'The chosen devices have never sent these metrics.'
      ) : (
        <>
          {found.text} {formatMoment(found.ts, 1_000, zone)}, <RelativeTime at={found.ts} />.
        </>
      )}
    </EmptyState>
  );
};
