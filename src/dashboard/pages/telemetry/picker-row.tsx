import { lazy, Suspense } from 'react';
import type { ChosenDevices } from './chosen-devices.ts';
import type { KnownMetrics } from './known-metrics.ts';
import type { ShowView, TelemetryView } from './telemetry-view.ts';

// The kit of the pickers is a sixth of the page; charts do not wait for it.
const Pickers = lazy(async () => ({ default: (await import('./pickers.tsx')).Pickers }));

const individualNames = ({ devices }: TelemetryView, chosen: ChosenDevices): string[] =>
  chosen.devices.filter(({ id }) => devices.includes(id)).map(({ name }) => name);

type Props = {
  view: TelemetryView;
  chosen: ChosenDevices;
  metrics: { known: KnownMetrics; chosen: readonly string[] };
  onShow: ShowView;
};

/** The choice of devices and metrics. Until its code has loaded, it shows what is chosen. */
export const PickerRow = ({ view, chosen, metrics, onShow }: Props) => (
  <div className="mb-4 grid grid-cols-1 gap-x-4 gap-y-3 lg:grid-cols-2">
    <Suspense
      fallback={
        <>
          <PickerPlaceholder
            label="Devices"
            values={[...view.tags, ...view.types, ...individualNames(view, chosen)]}
          />
          <PickerPlaceholder label="Metrics" values={metrics.chosen} />
        </>
      }
    >
      <Pickers
        devices={{ choice: view, chosen, onChange: onShow }}
        metrics={{
          deviceCount: chosen.count,
          known: metrics.known,
          chosen: metrics.chosen,
          onChange: (next) => onShow({ metrics: next }),
        }}
      />
    </Suspense>
  </div>
);

/** A picker while its code loads: as tall as the picker with the same values. */
const PickerPlaceholder = ({ label, values }: { label: string; values: readonly string[] }) => (
  <div className="flex flex-col gap-1.5">
    <div className="font-medium">{label}</div>
    <div className="flex min-h-(--control-height) flex-wrap items-center gap-1 rounded-md border border-control bg-surface p-1">
      {values.map((value) => (
        <div
          key={value}
          className="flex h-6 max-w-full items-center rounded-sm bg-hover pr-7 pl-2 text-sm touch:h-9 touch:pr-10"
        >
          <span className="truncate">{value}</span>
        </div>
      ))}
      <div className="h-6 min-w-20 flex-1 touch:h-9" />
    </div>
  </div>
);
