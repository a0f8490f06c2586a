import { ranges } from '../../resources/telemetry/time-range.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import type { DeviceView } from './device-view.ts';

/** The range of the chart, and whether it follows now. */
export const DeviceRange = ({
  view,
  onChange,
}: {
  view: DeviceView;
  onChange: (view: DeviceView) => void;
}) => (
  <div className="flex items-center justify-end gap-x-3 gap-y-2 py-1 max-md:contents">
    {view.zoom === null ? (
      <Switch
        label="Live"
        className="ml-auto text-sm text-muted"
        checked={view.isLive}
        onChange={(event) => onChange({ ...view, isLive: event.target.checked })}
      />
    ) : (
      <Button
        look="quiet"
        className="ml-auto h-7 px-2 text-sm text-accent touch:h-11"
        onClick={() => onChange({ ...view, zoom: null, isLive: true })}
      >
        Reset zoom
      </Button>
    )}
    <Segmented
      label="Range"
      options={ranges}
      value={view.zoom === null ? view.range : null}
      onChange={(range) =>
        onChange({ ...view, range, zoom: null, isLive: view.zoom !== null || view.isLive })
      }
    />
  </div>
);
