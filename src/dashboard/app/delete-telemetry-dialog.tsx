import { useState } from 'react';
import type { DialogState } from '../kit/confirm/use-dialog.ts';
import { describeError } from '../api/api-error.ts';
import { call } from '../api/client.ts';
import { devicesApi } from '#contract/devices.ts';
import { telemetryApi } from '#contract/telemetry.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
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

/** The most devices in one DELETE. */
const DEVICES_PER_REQUEST = 100;

/** Deletes the samples of all devices before `to` (such as `-30d`). Resolves to the number of deleted samples. */
const deleteTelemetry = async (to: string): Promise<number> => {
  let deleted = 0;
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listDevices>> = await listDevices(cursor);
    cursor = page.nextCursor;
    const device = page.data.map(({ id }) => id);
    if (device.length === 0) break;
    const answer = await call(telemetryApi.remove, { query: { device, from: '1970-01-01T00:00:00Z', to } });
    deleted += answer.deleted;
  } while (cursor !== null);
  return deleted;
};

const listDevices = (cursor: string | null) =>
  call(devicesApi.list, { query: { limit: DEVICES_PER_REQUEST, ...(cursor !== null && { cursor }) } });

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
        <p>Deletes samples older than this age, for all devices. This cannot be undone.</p>
        <Field label="Older than">
          <Select options={ages} value={age} onChange={setAge} />
        </Field>
      </div>
    </ConfirmDialog>
  );
};
