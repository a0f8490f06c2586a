import { lazy, Suspense, useMemo } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import type { NumberSeries } from '../../charts/series/series.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { formatRate } from '../../ui/format/format-number.ts';
import { timeZoneChoice } from '../../ui/format/format-time.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { usePerSecond, useRates } from '../../resources/pipelines/throughput.ts';

const TimeChart = lazy(async () => ({ default: (await import('../../charts/time-chart.tsx')).TimeChart }));

const HEIGHT_PX = 180;
/** The chart begins as this wide, and grows to an hour as more is seen. */
const LEAST_MS = 180_000;

type Props = { pipeline: Pipeline | undefined; className: string };

/** Values per second: now, and as far back as this tab has looked. */
export const RatePanel = ({ pipeline, className }: Props) => (
  <Panel title="Values per second" aside="Since you opened it" className={className}>
    {pipeline === undefined ? <Skeleton className="my-2 h-52" /> : <Rate pipeline={pipeline} />}
  </Panel>
);

const Rate = ({ pipeline }: { pipeline: Pipeline }) => {
  const rates = useRates(pipeline.id);
  const perSecond = usePerSecond(pipeline);
  const timeZone = useStoredChoice(timeZoneChoice);
  const series = useMemo(
    (): NumberSeries[] => [
      { id: 'rate', label: 'Values per second', unit: '/s', colour: 1, kind: 'number', columns: rates },
    ],
    [rates],
  );
  const toMs = rates.ts.at(-1) ?? nowMs();
  const fromMs = Math.min(rates.ts[0] ?? toMs, toMs - LEAST_MS);
  return (
    <>
      <p className="tabular mb-1">
        <span className="mr-2 text-2xl font-semibold tracking-tight">{formatRate(perSecond)}</span>
        <span className="text-muted">now</span>
      </p>
      {rates.ts.length < 2 ? (
        <p className="flex items-center justify-center text-muted" style={{ height: HEIGHT_PX }}>
          The line begins in a few seconds.
        </p>
      ) : (
        <Suspense fallback={<div style={{ height: HEIGHT_PX }} />}>
          <TimeChart
            series={series}
            fromMs={fromMs}
            toMs={toMs}
            height={HEIGHT_PX}
            timeZone={timeZone}
            includes={0}
            label={`Values per second of ${pipeline.name}`}
          />
        </Suspense>
      )}
    </>
  );
};
