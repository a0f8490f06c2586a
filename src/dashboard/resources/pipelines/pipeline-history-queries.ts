import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { overwritesApi } from '#contract/overwrites.ts';
import { throughputApi, type ThroughputRange } from '#contract/throughput.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { nowMs } from '../../ui/browser/clock.ts';

const MINUTE_MS = 60_000;
const AFTER_BUCKET_MS = 1_000;

/** The throughput and the overwritten samples of a pipeline. */
export const pipelineHistoryQueries = {
  /** The key contains the count, so a higher count refetches the list. */
  overwrites: (id: string, overwritten: number) =>
    queryOptions({
      queryKey: [...queryKeys.overwrites, id, overwritten],
      queryFn: async ({ signal }) => (await call(overwritesApi.list, { params: { id }, signal })).data,
      placeholderData: keepPreviousData,
      gcTime: 0,
    }),
  /** Refetched right after each minute or hour, when the service has stored it. */
  throughput: (id: string, range: ThroughputRange) =>
    queryOptions({
      queryKey: [...queryKeys.throughput, id, range],
      queryFn: ({ signal }) => call(throughputApi.get, { params: { id }, query: { range }, signal }),
      refetchInterval: ({ state: { data } }) => {
        const bucketMs = data?.bucketMs ?? MINUTE_MS;
        return bucketMs - (nowMs() % bucketMs) + AFTER_BUCKET_MS;
      },
    }),
};
