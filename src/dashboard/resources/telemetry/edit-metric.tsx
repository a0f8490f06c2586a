import { Pencil } from 'lucide-react';
import { Suspense } from 'react';
import { seriesId } from '../../charts/series/series.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { useDialog } from '../../kit/confirm/use-dialog.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import type { DeviceMetric } from './telemetry-queries.ts';
import { lazyDialog } from '../../ui/overlays/lazy-popup.tsx';

const MetricDialog = lazyDialog(async () => (await import('./metric-dialog.tsx')).MetricDialog);

/** Opens the settings of a metric. */
export type EditMetric = (subject: DeviceMetric) => void;

/** The dialog with the settings of a metric. `open` is undefined for a session without `devices:write`. */
export const useMetricDialog = () => {
  const canWrite = useHasScope('devices:write');
  const { subject, open, state } = useDialog<DeviceMetric>();
  return {
    open: canWrite ? open : undefined,
    dialog: subject !== null && (
      <Suspense>
        <MetricDialog key={seriesId(subject.deviceId, subject.metric)} subject={subject} state={state} />
      </Suspense>
    ),
  };
};

/** In a row of the class `group`: shown while the row has the pointer or the focus, and always under touch. */
export const EditMetricButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <IconButton
    label={`Edit ${label}`}
    icon={<Pencil />}
    onClick={onClick}
    className="opacity-0 group-hover:opacity-100 focus-visible:opacity-100 group-focus-within:opacity-100 touch:opacity-100 [@media(hover:none)]:opacity-100"
  />
);
