import { Table2 } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import type { Throughput, ThroughputRange } from '#contract/throughput.ts';
import type { NumberSeries } from '../../charts/series/series.ts';
import { Failure } from '../../kit/failure.tsx';
import { pipelineHistoryQueries } from '../../resources/pipelines/pipeline-history-queries.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { withParams } from '../../ui/browser/with-params.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { ScrollRegion } from '../../ui/layout/scroll-region.tsx';
import { formatRate } from '../../ui/format/format-number.ts';
import { timeZoneChoice } from '../../ui/format/format-time.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { readThroughputRange } from './pipeline-loader.ts';

const TimeChart = lazy(async () => ({ default: (await import('../../charts/time-chart.tsx')).TimeChart }));

const ThroughputTable = lazy(async () => ({
  default: (await import('./throughput-table.tsx')).ThroughputTable,
}));

const HEIGHT_PX = 180;
/** Leaves room for the line below the chart, so that nothing moves when it appears. */
const placeholderClass = 'mb-(--control-height)';

const ranges: readonly { value: ThroughputRange; label: string }[] = [
  { value: '1h', label: '1 h' },
  { value: '24h', label: '24 h' },
  { value: '30d', label: '30 d' },
];
const bucketWords = { '1h': 'minute', '24h': 'minute', '30d': 'hour' } as const satisfies Record<
  ThroughputRange,
  string
>;

type Props = { pipeline: Pipeline; className: string };

/**
 * Samples per second: in the last minute, and in each minute of the last hour or 24 hours, or each hour of the last 30
 * days.
 */
export const ThroughputPanel = ({ pipeline, className }: Props) => {
  const [params, setParams] = useQueryParams();
  // The usual range stays the same while the page is open.
  const [openedMs] = useState(nowMs);
  const range = readThroughputRange(params, { pipeline, atMs: openedMs });
  const choose = (chosen: ThroughputRange) =>
    setParams((old) => withParams(old, { range: chosen }), { preventScrollReset: true });
  return (
    <Panel
      title="Samples per second"
      aside={<Segmented label="Range" options={ranges} value={range} onChange={choose} />}
      className={className}
    >
      <ThroughputHistory pipeline={pipeline} range={range} />
    </Panel>
  );
};

const ThroughputHistory = ({ pipeline, range }: { pipeline: Pipeline; range: ThroughputRange }) => {
  const { data, error, refetch } = useQuery(pipelineHistoryQueries.throughput(pipeline.id, range));
  return (
    <>
      <p className="tabular mb-1">
        <span className="mr-2 text-2xl font-semibold tracking-tight">
          {formatRate(pipeline.rate.perSecond)}
        </span>
        <span className="text-muted">mean of the last minute</span>
      </p>
      {data === undefined && error !== null ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <div className={placeholderClass} style={{ height: HEIGHT_PX }} />
      ) : data.ts.length === 0 ? (
        <p
          className={`${placeholderClass} flex items-center justify-center text-muted`}
          style={{ height: HEIGHT_PX }}
        >
          The chart starts after the first full {bucketWords[range]}.
        </p>
      ) : (
        <ThroughputChart name={pipeline.name} throughput={data} bucket={bucketWords[range]} />
      )}
    </>
  );
};

const FROM_ZERO = { includes: 0 };

type ChartProps = { name: string; throughput: Throughput; bucket: string };

const ThroughputChart = ({ name, throughput, bucket }: ChartProps) => {
  const timeZone = useStoredChoice(timeZoneChoice);
  const columns = useMemo(() => bucketColumns(throughput), [throughput]);
  const series = useMemo(
    (): NumberSeries[] => [
      {
        id: 'throughput',
        label: 'Samples per second',
        unit: '/s',
        colour: 1,
        kind: 'number',
        columns,
      },
    ],
    [columns],
  );
  const [isTable, setIsTable] = useState(false);
  const label = `Samples per second of ${name}`;
  return (
    <>
      <Suspense fallback={<div style={{ height: HEIGHT_PX }} />}>
        {!isTable ? (
          <TimeChart
            series={series}
            time={{ fromMs: throughput.from, toMs: throughput.to, timeZone }}
            label={label}
            height={HEIGHT_PX}
            options={FROM_ZERO}
          />
        ) : (
          <ScrollRegion label={`Samples per second by ${bucket}`} className="h-45 overflow-y-auto">
            <ThroughputTable throughput={throughput} timeZone={timeZone} caption={label} />
          </ScrollRegion>
        )}
      </Suspense>
      <div className="flex items-center justify-end gap-3">
        {columns.value.includes(null) && (
          <p className="flex-1 text-sm text-muted">
            Gaps are {bucket}s in which Penstock was not running. Their throughput is unknown.
          </p>
        )}
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

/** Buckets in which the service did not run have no value, so that the line has a gap. */
export const bucketColumns = ({ ts, perSecond, bucketMs }: Throughput) => {
  const columns: { ts: number[]; value: (number | null)[] } = { ts: [], value: [] };
  for (const [index, start] of ts.entries()) {
    const before = ts[index - 1];
    if (before !== undefined && start - before > bucketMs) {
      columns.ts.push(before + bucketMs);
      columns.value.push(null);
    }
    columns.ts.push(start);
    columns.value.push(perSecond[index] ?? null);
  }
  return columns;
};
