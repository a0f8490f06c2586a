import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Device } from '#contract/devices.ts';
import { sampleCountsApi } from '#contract/sample-counts.ts';
import { describeError, hasCode } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { describeDeletion, describeTelemetry, type TelemetryCount } from './describe-deletion.ts';
import { useDeleteDevice, useRestoreDevice } from './device-queries.ts';
import { showToast } from '../../ui/feedback/toast.ts';

/** After this time, the deletion names the number of series instead of that of samples. */
const COUNT_MS = 1_000;

/** The telemetry that is deleted with a device, without samples that take long to count; null if the session cannot read it. */
const telemetryOf = async (client: QueryClient, deviceId: string): Promise<TelemetryCount | null> => {
  try {
    return await call(sampleCountsApi.count, {
      body: { devices: [deviceId] },
      signal: AbortSignal.timeout(COUNT_MS),
    });
  } catch (error) {
    if (hasCode(error, 'insufficient-scope')) return null;
    const { telemetryQueries } = await import('../telemetry/telemetry-queries.ts');
    const metrics = await client
      .fetchQuery({ ...telemetryQueries.metrics(deviceId), retry: false })
      .catch(() => null);
    return metrics && { series: metrics.data.length, samples: 0 };
  }
};

/** Deletes a device immediately. The toast names the deleted telemetry and restores the device (within 24 hours). */
export const useDeleteWithUndo = () => {
  const client = useQueryClient();
  const deletion = useDeleteDevice();
  const restoration = useRestoreDevice();
  const [isDeleting, setIsDeleting] = useState(false);
  // A second click may come before the next render.
  const isRunning = useRef(false);

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

  const removeNow = async (device: Device): Promise<boolean> => {
    const telemetry = await telemetryOf(client, device.id);
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
    const gone = telemetry === null ? '' : describeTelemetry(1, telemetry);
    showToast({
      title: `Deleted ${device.name}${gone === '' ? '' : ` with ${gone}`}`,
      detail: describeDeletion(1),
      action: { label: 'Undo', onSelect: () => void restore(device) },
    });
    return true;
  };

  const remove = async (device: Device): Promise<boolean> => {
    if (isRunning.current) return false;
    isRunning.current = true;
    setIsDeleting(true);
    try {
      return await removeNow(device);
    } finally {
      isRunning.current = false;
      setIsDeleting(false);
    }
  };

  return { remove, isDeleting };
};
