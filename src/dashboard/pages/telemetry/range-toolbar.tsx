import { CalendarRange, ChevronLeft, ChevronRight, ZoomIn, ZoomOut, Radio } from 'lucide-react';
import type { ReactNode } from 'react';
import { rangeMs, ranges, type Range, type FixedRange } from '../../resources/telemetry/time-range.ts';
import { nowMs, useClock } from '../../ui/browser/clock.ts';
import type { TimeZone } from '../../ui/format/intl-formats.ts';
import { cx } from '../../ui/browser/cx.ts';
import { IconButton, Button } from '../../ui/controls/button.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { closer, earlier, later, wider, shortRangeText } from './fixed-range.ts';
import type { TelemetryView } from './telemetry-view.ts';
import { useLiveStatus, type LiveState } from '../../api/live/live-status.ts';
import { formatDuration } from '../../ui/format/format-duration.ts';
import { Dot, type Tone } from '../../ui/feedback/state-dot.tsx';
import { lazyPart } from '../../ui/browser/lazy-part.tsx';
import { LoadFailure } from '../../ui/feedback/load-failure.tsx';

const CustomRangeForm = lazyPart(
  async () => (await import('./custom-range-form.tsx')).CustomRangeForm,
  LoadFailure,
);

type Props = {
  view: TelemetryView;
  zone: TimeZone;
  onRange: (range: Range) => void;
  onFixedRange: (fixedRange: FixedRange) => void;
  onZone: (zone: TimeZone) => void;
  onShows: (shows: TelemetryView['shows']) => void;
  /** Beside the view. */
  aside: ReactNode;
};

/** The shown range as fixed times: a range that ends now is fixed at this moment. */
export const shownRange = ({
  fixedRange,
  range,
}: Pick<TelemetryView, 'fixedRange' | 'range'>): FixedRange => {
  if (fixedRange !== null) return fixedRange;
  const toMs = Math.ceil(nowMs());
  return { fromMs: toMs - rangeMs(range), toMs };
};

/** The toolbar: range, time zone, live mode, and chart or table. */
export const RangeToolbar = ({ view, zone, onRange, onFixedRange, onZone, onShows, aside }: Props) => {
  const { fixedRange } = view;
  const move = (change: (fixedRange: FixedRange) => FixedRange) => onFixedRange(change(shownRange(view)));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Segmented
        label="Range"
        options={ranges}
        value={fixedRange === null ? view.range : null}
        onChange={onRange}
      />
      <Popover
        label="Range from and to"
        // Without the icon, the buttons that move the range fit beside it on a phone, and fixed times at 1,440 px.
        icon={
          <CalendarRange
            aria-hidden
            className={cx('size-4 max-md:hidden', fixedRange !== null && 'max-2xl:hidden')}
          />
        }
        content={
          <span className="tabular truncate">
            {fixedRange === null ? 'From – to' : shortRangeText(fixedRange, zone)}
            {zone === 'utc' && <span className="ml-1.5 text-muted">UTC</span>}
          </span>
        }
        className={fixedRange === null ? 'max-w-full' : 'max-w-full bg-accent-soft'}
      >
        {(close) => (
          <CustomRangeForm
            fixedRange={shownRange(view)}
            zone={zone}
            onZone={onZone}
            onApply={(next) => {
              onFixedRange(next);
              close();
            }}
          />
        )}
      </Popover>
      <div className="flex">
        <IconButton label="Earlier" icon={<ChevronLeft />} onClick={() => move(earlier)} />
        <IconButton
          label="Later"
          icon={<ChevronRight />}
          disabled={fixedRange === null}
          onClick={() => move(later)}
        />
        <IconButton label="Zoom in" icon={<ZoomIn />} onClick={() => move(closer)} />
        <IconButton label="Zoom out" icon={<ZoomOut />} onClick={() => move(wider)} />
      </div>
      <div className="ml-auto flex flex-wrap items-center gap-2">
        <LiveButton
          isLive={fixedRange === null}
          onPause={() => onFixedRange(shownRange(view))}
          onFollow={() => onRange(view.range)}
        />
        {aside}
        <Segmented
          label="View"
          options={[
            { value: 'chart', label: 'Chart' },
            { value: 'table', label: 'Table' },
          ]}
          value={view.shows}
          onChange={onShows}
        />
      </div>
    </div>
  );
};

type LiveButtonProps = { isLive: boolean; onPause: () => void; onFollow: () => void };

const stateDisplay: Record<LiveState, { word: string; tone: Tone }> = {
  live: { word: 'Live', tone: 'good' },
  connecting: { word: 'Live', tone: 'idle' },
  paused: { word: 'Live', tone: 'idle' },
  forbidden: { word: 'No live updates', tone: 'idle' },
  reconnecting: { word: 'Reconnecting', tone: 'attention' },
  offline: { word: 'Offline', tone: 'bad' },
};

/** Whether the chart follows now. A press pauses it; the next one returns to now. */
const LiveButton = ({ isLive, onPause, onFollow }: LiveButtonProps) => {
  const { state, lastContactMs } = useLiveStatus();
  const isBroken = state === 'reconnecting' || state === 'offline';
  const age = useClock(() =>
    isBroken && lastContactMs !== null ? formatDuration(Math.max(0, Date.now() - lastContactMs)) : '',
  );
  if (!isLive) {
    return (
      // Without the icon, the toolbar of a zoomed chart stays one line at 1,440 px, so that the chart keeps its height.
      <Button icon={<Radio aria-hidden className="size-4 max-2xl:hidden" />} onClick={onFollow}>
        Back to live
      </Button>
    );
  }
  const { word, tone } = stateDisplay[state];
  return (
    <Button
      aria-pressed
      data-hint={
        isBroken
          ? 'New samples appear when the service is reachable again'
          : 'The chart updates live. Click to pause'
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
