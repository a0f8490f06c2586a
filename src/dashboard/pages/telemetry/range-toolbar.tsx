import { CalendarRange, ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from 'lucide-react';
import { lazy } from 'react';
import { rangeMs, ranges, type Range, type Stretch } from '../../resources/telemetry/time-range.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import type { TimeZoneChoice } from '../../ui/format/format-time.ts';
import { IconButton } from '../../ui/controls/icon-button.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { LiveButton } from './live-button.tsx';
import { closer, earlier, later, wider } from './move-stretch.ts';
import { shortStretchText } from './stretch-text.ts';
import type { TelemetryView } from './telemetry-view.ts';

const CustomRangeForm = lazy(async () => ({
  default: (await import('./custom-range-form.tsx')).CustomRangeForm,
}));

type Props = {
  view: TelemetryView;
  zone: TimeZoneChoice;
  onRange: (range: Range) => void;
  onStretch: (stretch: Stretch) => void;
  onZone: (zone: TimeZoneChoice) => void;
  onShows: (shows: TelemetryView['shows']) => void;
};

/** What is on screen, held still: of a range that ends now, as it stands at this moment. */
export const shownStretch = ({ stretch, range }: Pick<TelemetryView, 'stretch' | 'range'>): Stretch => {
  if (stretch !== null) return stretch;
  const toMs = Math.ceil(nowMs());
  return { fromMs: toMs - rangeMs(range), toMs };
};

/** Which stretch of time is shown, in which zone, and how. */
export const RangeToolbar = ({ view, zone, onRange, onStretch, onZone, onShows }: Props) => {
  const { stretch } = view;
  const move = (change: (stretch: Stretch) => Stretch) => onStretch(change(shownStretch(view)));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Segmented
        label="Range"
        options={ranges}
        value={stretch === null ? view.range : null}
        onChange={onRange}
      />
      <Popover
        label="Range from and to"
        icon={<CalendarRange aria-hidden className="size-4" />}
        content={
          <span className="tabular truncate">
            {stretch === null ? 'From – to' : shortStretchText(stretch, zone)}
            {zone === 'utc' && <span className="ml-1.5 text-muted">UTC</span>}
          </span>
        }
        className={stretch === null ? 'max-w-full' : 'max-w-full bg-accent-soft'}
      >
        {(close) => (
          <CustomRangeForm
            stretch={shownStretch(view)}
            zone={zone}
            onZone={onZone}
            onApply={(next) => {
              onStretch(next);
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
          disabled={stretch === null}
          onClick={() => move(later)}
        />
        <IconButton label="Zoom in" icon={<ZoomIn />} onClick={() => move(closer)} />
        <IconButton label="Zoom out" icon={<ZoomOut />} onClick={() => move(wider)} />
      </div>
      <div className="ml-auto flex flex-wrap items-center gap-2">
        <LiveButton
          isLive={stretch === null}
          onPause={() => onStretch(shownStretch(view))}
          onFollow={() => onRange(view.range)}
        />
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
