import { useQuery } from '@tanstack/react-query';
import { sampleCountsApi } from '#contract/sample-counts.ts';
import { BATCH_LIMIT } from '#contract/devices.ts';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { useHasScope } from '../../../api/session-queries.ts';
import { describeDeletion, type TelemetryCount } from '../../../resources/devices/describe-deletion.ts';
import type { BulkTarget } from '../../../resources/devices/bulk/bulk-change.ts';

const MAX_COUNTED = 20 * BATCH_LIMIT;

const countTelemetry = async (target: BulkTarget, signal: AbortSignal): Promise<TelemetryCount> => {
  if (!('ids' in target)) {
    const body = { filter: target.filter, except: [...target.except] };
    return call(sampleCountsApi.count, { body, signal });
  }
  const total = { series: 0, samples: 0 };
  for (let start = 0; start < target.ids.length; start += BATCH_LIMIT) {
    const body = { devices: target.ids.slice(start, start + BATCH_LIMIT) };
    const { series, samples } = await call(sampleCountsApi.count, { body, signal });
    total.series += series;
    total.samples += samples;
  }
  return total;
};

/** What the deletion of devices deletes. Too many devices for a count are named without it. */
export const LostTelemetry = ({ target, count }: { target: BulkTarget; count: number }) => {
  const { data } = useQuery({
    queryKey: [...queryKeys.telemetry, 'count', target],
    queryFn: ({ signal }) => countTelemetry(target, signal),
    enabled: useHasScope('telemetry:read') && (!('ids' in target) || target.ids.length <= MAX_COUNTED),
    retry: false,
    // The dialog asks about what is stored now.
    staleTime: 0,
    gcTime: 0,
  });
  return describeDeletion(count, data);
};
