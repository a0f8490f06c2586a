import { queryOptions, useQuery } from '@tanstack/react-query';
import { THROUGHPUT_PIPELINES, throughputApi, type PipelineLastHour } from '#contract/throughput.ts';
import { createBatchedReads } from '../../api/batched-reads.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import { appendObservedRates } from '../../resources/pipelines/extended-throughput.ts';
import { useRates } from '../../resources/pipelines/throughput.ts';

const HOUR_MS = 3_600_000;
const STALE_MS = 300_000;

/** Reads the last hour of a pipeline, in one request with those of other rows. */
const readLastHour = createBatchedReads<PipelineLastHour>(THROUGHPUT_PIPELINES, async (ids) => {
  const { data } = await call(throughputApi.lastHour, { query: { pipeline: [...ids] } });
  return new Map(data.map((hour) => [hour.pipeline, hour]));
});

/** Not refetched while the row is shown: the page observes what follows. */
const lastHourOf = (id: string) =>
  queryOptions({
    queryKey: [...queryKeys.throughput, id, 'list'],
    queryFn: ({ signal }) => readLastHour(id, signal),
    staleTime: STALE_MS,
  });

/** Samples per second in the last hour: the minutes that the service recorded, then what this page observes. */
export const PipelineSparkline = ({ id }: { id: string }) => {
  const { data: hour, isPending } = useQuery(lastHourOf(id));
  const observed = useRates(id);
  if (isPending) return null;
  const { ts, value } = appendObservedRates(hour ?? undefined, observed);
  const toMs = ts.at(-1) ?? 0;
  const from = ts.findIndex((at) => at >= toMs - HOUR_MS);
  if (ts.length - from < 2 || !value.subarray(from).some((rate) => rate > 0)) return null;
  return (
    <Sparkline
      columns={{ ts: ts.subarray(from), value: value.subarray(from) }}
      fromMs={toMs - HOUR_MS}
      toMs={toMs}
      width={44}
      height={20}
      includes={0}
      label="Samples per second in the last hour"
    />
  );
};
