import { useState } from 'react';
import type { DialogState } from '../kit/confirm/use-dialog.ts';
import { describeError } from '../api/api-error.ts';
import { useDeleteTelemetry } from '../resources/telemetry/storage-queries.ts';
import { ConfirmDialog } from '../ui/overlays/confirm-dialog.tsx';
import { Field } from '../ui/controls/field.tsx';
import { plural } from '../ui/format/format-number.ts';
import { Select } from '../ui/controls/select.tsx';
import { showToast } from '../ui/feedback/toast.ts';

const ages = [
  { value: '-365d', label: '1 year' },
  { value: '-90d', label: '90 days' },
  { value: '-30d', label: '30 days' },
  { value: '-7d', label: '7 days' },
  { value: '-1d', label: '1 day' },
] as const;

/** Deletes old telemetry of all devices, which frees the most disk space. */
export const DeleteTelemetryDialog = ({ state }: { state: DialogState }) => {
  const [age, setAge] = useState<(typeof ages)[number]['value']>('-90d');
  const remove = useDeleteTelemetry();
  return (
    <ConfirmDialog
      {...state}
      title="Delete old telemetry?"
      confirmLabel="Delete telemetry"
      isBusy={remove.isPending}
      onConfirm={() =>
        remove.mutate(age, {
          onSuccess: (deleted) => {
            state.onClose();
            showToast({ title: `Deleted ${plural(deleted, 'sample')}` });
          },
        })
      }
      {...(remove.error !== null && { error: describeError(remove.error).detail })}
    >
      <div className="flex flex-col gap-4">
        <p>Deletes the samples of all devices older than this age. This cannot be undone.</p>
        <Field label="Older than">
          <Select options={ages} value={age} onChange={setAge} />
        </Field>
      </div>
    </ConfirmDialog>
  );
};
