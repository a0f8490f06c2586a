import { telemetryApi } from '#contract/telemetry.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { Confirmation } from '../../kit/confirm/confirm-and-run-dialog.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { plural } from '../../ui/format/format-number.ts';
import type { DeviceMetric } from './telemetry-queries.ts';

/** Before and after all timestamps of samples. */
const ALL_TIME = { from: '1000-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' };

/** The confirmation before all samples of a metric of a device are deleted. */
export const metricDeletionOf = (
  { deviceId, metric }: DeviceMetric,
  onDeleted: () => void,
): Confirmation<{ deleted: number }> => ({
  title: `Delete all samples of ${metric}?`,
  body: 'Deletes the metric and all its samples from this device. Other devices are not affected. The kind of the next sample becomes the kind of the metric. This cannot be undone.',
  confirmLabel: 'Delete samples',
  typeName: metric,
  run: async () => {
    const deletion = await call(telemetryApi.remove, {
      query: { device: [deviceId], metric: [metric], ...ALL_TIME },
    });
    await queryClient.invalidateQueries({ queryKey: queryKeys.telemetry });
    return deletion;
  },
  onDone: ({ deleted }) => {
    showToast({ title: `Deleted ${plural(deleted, 'sample')} of ${metric}` });
    onDeleted();
  },
});
