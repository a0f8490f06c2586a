import { useQuery } from '@tanstack/react-query';
import { sampleCountsApi } from '#contract/sample-counts.ts';
import { BATCH_LIMIT } from '#contract/devices.ts';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { useHasScope } from '../../../api/session-queries.ts';
import { describeDeletion } from '../../../resources/devices/describe-deletion.ts';
import type { BulkTarget } from './bulk-change.ts';

/** What the deletion of devices deletes. Too many devices for a count are named without it. */
export const LostTelemetry = ({ target, count }: { target: BulkTarget; count: number }) => {
  const body =
    'ids' in target ? { devices: [...target.ids] } : { filter: target.filter, except: [...target.except] };
  const { data } = useQuery({
    queryKey: [...queryKeys.telemetry, 'count', body],
    queryFn: ({ signal }) => call(sampleCountsApi.count, { body, signal }),
    enabled: useHasScope('telemetry:read') && (body.devices ?? []).length <= BATCH_LIMIT,
    retry: false,
    // The dialog asks about what is stored now.
    staleTime: 0,
    gcTime: 0,
  });
  return describeDeletion(count, data?.samples);
};
