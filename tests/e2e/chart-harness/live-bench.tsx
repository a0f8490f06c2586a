import { createLiveWindow, type LiveWindow } from '#dashboard/charts/live/live-window.ts';
import type { NumberSeries } from '#dashboard/charts/series/series.ts';
import { TimeChart } from '#dashboard/charts/time-chart.tsx';
import { chartCount, createWalk, SERIES, startTimes, STEP_MS, windowMs } from './bench-data.ts';
import { NOON } from './scenes.ts';

interface Feed {
  source: LiveWindow;
  /** Adds a sample to each series. */
  push: () => void;
}

let clockMs = NOON;

/** A live window that starts full. */
function createFeed(chart: number): Feed {
  const source = createLiveWindow({ windowMs, nowMs: () => clockMs });
  const walk = createWalk(chart);
  const append = (ts: number[]) =>
    source.append({
      series: walk(ts.length).map((value, n) => ({ device: `c${chart}`, metric: `m${n}`, ts, value })),
    });
  append(startTimes());
  return { source, push: () => append([clockMs]) };
}

const seriesOf = (chart: number): NumberSeries[] =>
  Array.from({ length: SERIES }, (_, n) => ({
    id: `c${chart}/m${n}`,
    label: `Series ${n + 1}`,
    unit: '%',
    colour: ([1, 2, 3, 4] as const)[n] ?? 1,
    kind: 'number',
    columns: { ts: [], value: [] },
  }));

declare global {
  interface Window {
    /** Advances the clock by a second and adds a sample to every series. */
    pushSamples?: () => void;
  }
}

interface BenchChart {
  id: number;
  feed: Feed;
  series: NumberSeries[];
}

/** Charts in live mode, whose samples come from `window.pushSamples`. */
export function createBenchCharts(): BenchChart[] {
  const charts = Array.from({ length: chartCount }, (_, id) => ({
    id,
    feed: createFeed(id),
    series: seriesOf(id),
  }));
  window.pushSamples = () => {
    clockMs += STEP_MS;
    for (const { feed } of charts) feed.push();
  };
  return charts;
}

export function LiveBench({ charts }: { charts: readonly BenchChart[] }) {
  return (
    <div className={chartCount > 1 ? 'grid grid-cols-3 gap-2' : undefined}>
      {charts.map(({ id, feed, series }) => (
        <TimeChart
          key={id}
          series={series}
          time={{ fromMs: NOON - windowMs, toMs: NOON, timeZone: 'utc', live: feed.source }}
          height={chartCount > 1 ? 200 : 400}
          label={`Chart ${id + 1}`}
        />
      ))}
    </div>
  );
}
