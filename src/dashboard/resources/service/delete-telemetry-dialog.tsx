import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { describeError } from '../../api/api-error.ts';
import { CountedProgress } from '../../ui/feedback/counted-progress.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import type { DialogState } from '../../ui/overlays/dialog.tsx';
import { useTelemetryDeletion, type TelemetryDeletion } from './use-telemetry-deletion.ts';

const ages = [
  { value: '-365d', label: '1 year' },
  { value: '-90d', label: '90 days' },
  { value: '-30d', label: '30 days' },
  { value: '-7d', label: '7 days' },
  { value: '-1d', label: '1 day' },
] as const;

const words: Record<TelemetryDeletion['is'], { title: string; confirm: string; cancel: string }> = {
  asking: { title: 'Delete old telemetry?', confirm: 'Delete telemetry', cancel: 'Cancel' },
  running: { title: 'Deleting old telemetry', confirm: 'Delete telemetry', cancel: 'Cancel' },
  cancelling: { title: 'Deleting old telemetry', confirm: 'Delete telemetry', cancel: 'Cancelling…' },
  stopped: { title: 'Deletion stopped', confirm: 'Continue', cancel: 'Close' },
  finished: { title: 'Deleted old telemetry', confirm: 'Delete telemetry', cancel: 'Close' },
};

/** What a stopped deletion has deleted. */
const describeStopped = (deletion: TelemetryDeletion): string => {
  const { samples, devices, total } = deletion;
  if (devices === 0) return 'Nothing was deleted.';
  const soFar = `Deleted ${plural(samples, 'sample')} from ${formatCount(devices)} of ${plural(total, 'device')}.`;
  return 'error' in deletion ? soFar : `Cancelled. ${soFar}`;
};

const describeReason = (error: unknown): string => {
  const { title, detail } = describeError(error);
  return `${title}. ${detail}`;
};

/** Deletes old telemetry of all devices, which frees the most disk space. */
export const DeleteTelemetryDialog = ({ state }: { state: DialogState }) => {
  const [age, setAge] = useState<(typeof ages)[number]['value']>('-90d');
  const { deletion, run, cancel } = useTelemetryDeletion();
  const isRunning = deletion.is === 'running' || deletion.is === 'cancelling';
  const isUnmounted = useRef(false);
  const stop = useEffectEvent(cancel);
  useEffect(() => {
    isUnmounted.current = false;
    return () => {
      isUnmounted.current = true;
      stop();
    };
  }, []);
  const start = async () => {
    const outcome = await run(age);
    if (outcome.is === 'finished') {
      state.onClose();
      showToast({ title: `Deleted ${plural(outcome.samples, 'sample')}` });
    } else if (isUnmounted.current)
      showToast({ title: 'Deletion stopped', detail: describeStopped(outcome) });
  };
  const { title, confirm, cancel: cancelLabel } = words[deletion.is];
  return (
    <ConfirmDialog
      state={{ ...state, onClose: isRunning ? cancel : state.onClose, canDismiss: !isRunning }}
      title={title}
      confirmLabel={confirm}
      cancelLabel={cancelLabel}
      action={{
        run: () => void start(),
        isBusy: isRunning,
        error: 'error' in deletion ? describeReason(deletion.error) : undefined,
      }}
    >
      {deletion.is === 'asking' ? (
        <div className="flex flex-col gap-4">
          <p>Deletes samples older than this age, for all devices. This cannot be undone.</p>
          <Field label="Older than">
            <Select options={ages} value={age} onChange={setAge} />
          </Field>
        </div>
      ) : deletion.is === 'stopped' ? (
        deletion.devices > 0 && <output>{describeStopped(deletion)}</output>
      ) : deletion.total === 0 ? (
        <output>Deleting telemetry</output>
      ) : (
        <div className="grid gap-2 [&>progress]:w-full">
          <CountedProgress
            doing="Deleting telemetry"
            done={deletion.devices}
            total={deletion.total}
            kind="device"
          />
        </div>
      )}
    </ConfirmDialog>
  );
};
