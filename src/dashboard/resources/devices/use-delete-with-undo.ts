import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { Device } from '#contract/devices.ts';
import { describeError } from '../../api/api-error.ts';
import { describeDeletion } from './describe-deletion.ts';
import { useDeleteDevice, useRestoreDevice } from './device-queries.ts';
import { plural } from '../../ui/format/format-number.ts';
import { showToast } from '../../ui/feedback/toast.ts';

/** The metrics that are deleted with a device; null if the session cannot read telemetry. */
const metricsOf = async (client: QueryClient, deviceId: string) => {
  const { telemetryQueries } = await import('../telemetry/telemetry-queries.ts');
  return client.fetchQuery(telemetryQueries.metrics(deviceId)).catch(() => null);
};

/** Deletes a device immediately. The toast names the deleted metrics and restores the device (within 24 hours). */
export const useDeleteWithUndo = () => {
  const client = useQueryClient();
  const deletion = useDeleteDevice();
  const restoration = useRestoreDevice();

  const restore = async (device: Device) => {
    try {
      await restoration.mutateAsync(device.id);
      showToast({ title: `Restored ${device.name}` });
    } catch (error) {
      showToast({
        title: `Could not restore ${device.name}`,
        detail: describeError(error).detail,
        tone: 'bad',
      });
    }
  };

  const remove = async (device: Device): Promise<boolean> => {
    const metrics = await metricsOf(client, device.id);
    try {
      await deletion.mutateAsync(device);
    } catch (error) {
      showToast({
        title: `Could not delete ${device.name}`,
        detail: describeError(error).detail,
        tone: 'bad',
      });
      return false;
    }
    const gone =
      metrics === null || metrics.data.length === 0 ? '' : ` with ${plural(metrics.data.length, 'metric')}`;
    showToast({
      title: `Deleted ${device.name}${gone}`,
      detail: describeDeletion(1),
      action: { label: 'Undo', onSelect: () => void restore(device) },
    });
    return true;
  };

  return { remove, isDeleting: deletion.isPending };
};
