import { Table2 } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import type { Throughput } from '#contract/throughput.ts';
import type { NumberSeries } from '../../charts/series/series.ts';
import { Failure } from '../../kit/failure.tsx';
import { pipelineHistoryQueries } from '../../resources/pipelines/pipeline-history-queries.ts';
import { usePerSecond } from '../../resources/pipelines/throughput.ts';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { ScrollRegion } from '../../ui/layout/scroll-region.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { formatRate } from '../../ui/format/format-number.ts';
import { timeZoneChoice } from '../../ui/format/format-time.ts';
import { Panel } from '../../ui/layout/panel.tsx';

const TimeChart = lazy(async () => ({ default: (await import('../../charts/time-chart.tsx')).TimeChart }));

const ChartTable = lazy(async () => ({ default: (await import('../../charts/chart-table.tsx')).ChartTable }));

const HEIGHT_PX = 180;
/** The table lists every minute of the 24 hours. */
const MINUTES = 1_440;
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

const FROM_ZERO = { includes: 0 };

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
  const [isTable, setIsTable] = useState(false);
  const shared = {
    series,
    time: { fromMs: throughput.from, toMs: throughput.to, timeZone },
    label: `Samples per second of ${name}`,
  };
  return (
    <>
      <Suspense fallback={<div style={{ height: HEIGHT_PX }} />}>
        {!isTable ? (
          <TimeChart {...shared} height={HEIGHT_PX} options={FROM_ZERO} />
        ) : (
          <ScrollRegion label="Samples per second by minute" className="h-45 overflow-y-auto">
            <ChartTable {...shared} limit={MINUTES} />
          </ScrollRegion>
        )}
      </Suspense>
      <div className="flex justify-end">
        <IconButton
          label="Show as table"
          aria-pressed={isTable}
          icon={<Table2 />}
          onClick={() => setIsTable(!isTable)}
          className={isTable ? 'bg-hover' : ''}
        />
      </div>
    </>
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
