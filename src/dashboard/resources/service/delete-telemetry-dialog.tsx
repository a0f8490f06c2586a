import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { devicesApi } from '#contract/devices.ts';
import { telemetryApi } from '#contract/telemetry.ts';
import { call } from '../../api/client.ts';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { readPages } from '../../api/paged-list.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { plural } from '../../ui/format/format-number.ts';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import type { DialogState } from '../../ui/overlays/dialog.tsx';

const ages = [
  { value: '-365d', label: '1 year' },
  { value: '-90d', label: '90 days' },
  { value: '-30d', label: '30 days' },
  { value: '-7d', label: '7 days' },
  { value: '-1d', label: '1 day' },
] as const;

/** The largest number of devices in one request. */
const DEVICES_PER_REQUEST = 100;

/** Deletes the samples of all devices before `to` (such as `-30d`). Resolves to the number of deleted samples. */
const deleteTelemetry = async (to: string): Promise<number> => {
  let deleted = 0;
  for await (const devices of readPages(
    (page) => call(devicesApi.list, { query: page }),
    DEVICES_PER_REQUEST,
  )) {
    if (devices.length === 0) break;
    const device = devices.map(({ id }) => id);
    const answer = await call(telemetryApi.remove, { query: { device, from: '1970-01-01T00:00:00Z', to } });
    deleted += answer.deleted;
  }
  return deleted;
};

const useDeleteTelemetry = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: deleteTelemetry,
    onSettled: () => void client.invalidateQueries(),
  });
};

/** Deletes old telemetry of all devices, which frees the most disk space. */
export const DeleteTelemetryDialog = ({ state }: { state: DialogState }) => {
  const [age, setAge] = useState<(typeof ages)[number]['value']>('-90d');
  const remove = useDeleteTelemetry();
  return (
    <ConfirmDialog
      state={state}
      title="Delete old telemetry?"
      confirmLabel="Delete telemetry"
      action={{
        run: () =>
          remove.mutate(age, {
            onSuccess: (deleted) => {
              state.onClose();
              showToast({ title: `Deleted ${plural(deleted, 'sample')}` });
            },
          }),
        isBusy: remove.isPending,
        error: remove.error === null ? undefined : describeFailedChange(remove.error),
      }}
    >
      <div className="flex flex-col gap-4">
        <p>Deletes samples older than this age, for all devices. This cannot be undone.</p>
        <Field label="Older than">
          <Select options={ages} value={age} onChange={setAge} />
        </Field>
      </div>
    </ConfirmDialog>
  );
};
