import { createLiveWindow, type LiveWindow } from '#dashboard/charts/live-window.ts';
import type { NumberSeries } from '#dashboard/charts/series.ts';
import { TimeChart } from '#dashboard/charts/time-chart.tsx';
import { noise, NOON } from './scenes.ts';

const query = new URLSearchParams(location.search);
const chartCount = Number(query.get('charts') ?? 1);
const points = Number(query.get('points') ?? 1_000);
const SERIES = 4;
/** A sample a second. */
const STEP_MS = 1_000;
const windowMs = points * STEP_MS;

interface Feed {
  source: LiveWindow;
  /** One new sample for each series. */
  push: () => void;
}

let clockMs = NOON;

/** A window that is full from the start. */
function createFeed(chart: number): Feed {
  const source = createLiveWindow({ windowMs, nowMs: () => clockMs });
  const random = noise(chart + 1);
  const levels = Array.from({ length: SERIES }, (_, n) => 20 + n * 15);
  const next = (n: number) => {
    const before = levels[n] ?? 0;
    const level = before + (random() - 0.5) * 2 + (20 + n * 15 - before) * 0.02;
    levels[n] = level;
    return level;
  };
  const append = (ts: number[]) =>
    source.append({
      series: levels.map((_, n) => ({
        device: `c${chart}`,
        metric: `m${n}`,
        ts,
        value: ts.map(() => next(n)),
      })),
    });
  append(Array.from({ length: points }, (_, n) => NOON - windowMs + (n + 1) * STEP_MS));
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
    /** Moves the clock on by a second and gives every chart its samples. */
    pushSamples?: () => void;
  }
}

interface BenchChart {
  id: number;
  feed: Feed;
  series: NumberSeries[];
}

/** Charts in live mode, fed by whoever measures. */
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
          live={feed.source}
          fromMs={NOON - windowMs}
          toMs={NOON}
          height={chartCount > 1 ? 200 : 400}
          timeZone="utc"
          label={`Chart ${id + 1}`}
        />
      ))}
    </div>
  );
}
