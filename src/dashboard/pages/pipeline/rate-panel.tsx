import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import type { Throughput } from '#contract/throughput.ts';
import type { NumberSeries } from '../../charts/series/series.ts';
import { Failure } from '../../kit/failure.tsx';
import { pipelineHistoryQueries } from '../../resources/pipelines/pipeline-history-queries.ts';
import { usePerSecond } from '../../resources/pipelines/throughput.ts';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { formatRate } from '../../ui/format/format-number.ts';
import { timeZoneChoice } from '../../ui/format/format-time.ts';
import { Panel } from '../../ui/layout/panel.tsx';

const TimeChart = lazy(async () => ({ default: (await import('../../charts/time-chart.tsx')).TimeChart }));

const HEIGHT_PX = 180;
const MINUTE_MS = 60_000;

type Props = { pipeline: Pipeline | undefined; className: string };

/** Samples per second: now, and in each minute of the last 24 hours. */
export const RatePanel = ({ pipeline, className }: Props) => (
  <Panel title="Samples per second" aside="Last 24 hours" className={className}>
    {pipeline === undefined ? <Skeleton className="my-2 h-52" /> : <Rate pipeline={pipeline} />}
  </Panel>
);

const Rate = ({ pipeline }: { pipeline: Pipeline }) => {
  const perSecond = usePerSecond(pipeline);
  const { data, error, refetch } = useQuery(pipelineHistoryQueries.throughput(pipeline.id));
  return (
    <>
      <p className="tabular mb-1">
        <span className="mr-2 text-2xl font-semibold tracking-tight">{formatRate(perSecond)}</span>
        <span className="text-muted">now</span>
      </p>
      {data === undefined && error !== null ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <div style={{ height: HEIGHT_PX }} />
      ) : data.ts.length === 0 ? (
        <p className="flex items-center justify-center text-muted" style={{ height: HEIGHT_PX }}>
          The chart starts after the first minute.
        </p>
      ) : (
        <RateChart name={pipeline.name} throughput={data} />
      )}
    </>
  );
};

const RateChart = ({ name, throughput }: { name: string; throughput: Throughput }) => {
  const timeZone = useStoredChoice(timeZoneChoice);
  const series = useMemo(
    (): NumberSeries[] => [
      {
        id: 'rate',
        label: 'Samples per second',
        unit: '/s',
        colour: 1,
        kind: 'number',
        columns: minuteColumns(throughput),
      },
    ],
    [throughput],
  );
  return (
    <Suspense fallback={<div style={{ height: HEIGHT_PX }} />}>
      <TimeChart
        series={series}
        fromMs={throughput.from}
        toMs={throughput.to}
        height={HEIGHT_PX}
        timeZone={timeZone}
        includes={0}
        label={`Samples per second of ${name}`}
      />
    </Suspense>
  );
};

/** Minutes in which the service did not run have no value, so that the line has a gap. */
export const minuteColumns = ({ ts, perSecond }: Throughput) => {
  const columns: { ts: number[]; value: (number | null)[] } = { ts: [], value: [] };
  for (const [index, minute] of ts.entries()) {
    const before = ts[index - 1];
    if (before !== undefined && minute - before > MINUTE_MS) {
      columns.ts.push(before + MINUTE_MS);
      columns.value.push(null);
    }
    columns.ts.push(minute);
    columns.value.push(perSecond[index] ?? null);
  }
  return columns;
};
