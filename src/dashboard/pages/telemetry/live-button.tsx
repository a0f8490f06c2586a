import { Radio } from 'lucide-react';
import { useLiveStatus, type LiveState } from '../../api/live/live-status.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useClock } from '../../ui/browser/clock.ts';
import { formatDuration } from '../../ui/format/format-duration.ts';
import { Dot, type Tone } from '../../ui/feedback/state-dot.tsx';

type Props = { isLive: boolean; onPause: () => void; onFollow: () => void };

const looks: Record<LiveState, { word: string; tone: Tone }> = {
  live: { word: 'Live', tone: 'good' },
  connecting: { word: 'Live', tone: 'idle' },
  paused: { word: 'Live', tone: 'idle' },
  forbidden: { word: 'No live updates', tone: 'idle' },
  reconnecting: { word: 'Reconnecting', tone: 'attention' },
  offline: { word: 'Offline', tone: 'bad' },
};

/** Whether the chart follows now. A press holds it still; once it stands still, a press goes back to now. */
export const LiveButton = ({ isLive, onPause, onFollow }: Props) => {
  const { state, lastContactMs } = useLiveStatus();
  const isBroken = state === 'reconnecting' || state === 'offline';
  const age = useClock(() =>
    isBroken && lastContactMs !== null ? formatDuration(Math.max(0, Date.now() - lastContactMs)) : '',
  );
  if (!isLive) {
    return (
      <Button icon={<Radio aria-hidden className="size-4" />} onClick={onFollow}>
        Back to live
      </Button>
    );
  }
  const { word, tone } = looks[state];
  return (
    <Button
      aria-pressed
      data-hint={
        isBroken ? 'New samples appear once the service answers again' : 'Follows now. Press to hold it still'
      }
      icon={<Dot tone={tone} />}
      onClick={onPause}
      className="tabular"
    >
      {word}
      {age !== '' && ` · ${age} old`}
    </Button>
  );
};
