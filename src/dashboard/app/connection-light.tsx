import { CloudOff, RefreshCw, type LucideIcon } from 'lucide-react';
import { useDataAge, useLiveStatus, type LiveState } from '../api/live/live-status.ts';
import { retryLiveNow } from '../api/live/use-live.ts';
import { cx } from '../ui/browser/cx.ts';
import { Dot, type Tone, toneText } from '../ui/feedback/state-dot.tsx';

const shown: Record<LiveState, { word: string; tone: Tone; icon?: LucideIcon }> = {
  live: { word: 'Live', tone: 'good' },
  connecting: { word: 'Connecting', tone: 'idle' },
  paused: { word: 'Paused', tone: 'idle' },
  forbidden: { word: 'No live updates', tone: 'idle' },
  reconnecting: { word: 'Reconnecting', tone: 'attention', icon: RefreshCw },
  offline: { word: 'Offline', tone: 'bad', icon: CloudOff },
};

/** Whether the page follows the service, and if not, since when. */
export const ConnectionLight = ({
  isIconOnly = false,
  isShort = false,
}: {
  isIconOnly?: boolean;
  /** The age is shown beside the shorter word only: the header of a phone has no room for both words. */
  isShort?: boolean;
}) => {
  // Its memoised form is larger, and it is part of every page.
  'use no memo';
  const { state } = useLiveStatus();
  const { word, tone, icon: Icon } = shown[state];
  const age = useDataAge();
  const isBroken = state === 'reconnecting' || state === 'offline';
  const since = age === '' ? '' : `data is ${age} old`;
  const hasAge = age !== '' && (!isShort || state === 'offline');
  const reason = state === 'forbidden' ? 'Your key lacks a read scope' : since;
  const hint =
    state === 'live'
      ? 'This page updates live'
      : [word, reason, isBroken && 'Click to retry now'].filter(Boolean).join('. ');
  return (
    <button
      type="button"
      data-hint={hint}
      aria-label={`Connection: ${word.toLowerCase()}${since === '' ? '' : `, ${since}`}`}
      onClick={() => {
        if (isBroken) retryLiveNow();
      }}
      className={cx(
        'flex min-h-8 min-w-8 items-center gap-2.5 rounded-md px-2 text-left text-sm text-muted touch:min-h-11 touch:min-w-11',
        isBroken ? 'cursor-pointer hover:bg-hover' : 'cursor-default!',
        isIconOnly && 'flex-col justify-center gap-0.5! px-0!',
      )}
    >
      <span className="grid w-4 place-items-center">
        {Icon === undefined ? (
          <Dot tone={tone} />
        ) : (
          <Icon aria-hidden className={cx('size-4', toneText[tone])} />
        )}
      </span>
      {isIconOnly && isBroken && <span className="tabular text-xs whitespace-nowrap">{age}</span>}
      {!isIconOnly && (
        <span className="min-w-0">
          <span className={isBroken ? 'font-medium text-ink' : ''}>{word}</span>
          {hasAge && (
            <span className="tabular">
              {' · '}
              {age}
              {!isShort && ' old'}
            </span>
          )}
        </span>
      )}
      <output className="sr-only">{isBroken && `Connection: ${word.toLowerCase()}`}</output>
    </button>
  );
};
