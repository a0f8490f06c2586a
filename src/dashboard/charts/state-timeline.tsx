import { useMemo } from 'react';
import { stateRowPx, drawStates } from './draw/draw-states.ts';
import { StateLegend } from './state-legend.tsx';
import { stateColours, type StateColour } from './series/state-colours.ts';
import type { LiveSource } from './live/live-window.ts';
import type { TimeSpan } from './series/time-span.ts';
import { FRAME } from './draw/plot-frame.tsx';
import { useAxisWidth } from './draw/axis-width.tsx';
import { PlotPanel } from './plot-panel.tsx';
import { createLiveView, fixedView, type PlotView, type ViewOf } from './draw/plot-view.ts';
import { type StateSeries, stateText } from './series/series.ts';
import type { ChartTime } from './chart-time.ts';
import type { PlotModel, RowReading } from './draw/plot-model.ts';
import type { StateRun } from './live/live-states.ts';
import { lowerBound } from './series/search.ts';
import { stateRunsOf } from './tracks/state-runs.ts';
import { summariseSeries } from './summarise-series.ts';

interface StateTimelineProps {
  series: readonly StateSeries[];
  time: ChartTime;
  label: string;
  /** The room at the right, so that it lines up with charts: in CSS pixels, or that of a value axis. */
  right?: number | 'axis';
}

const TOP_PX = 4;

/** The height of a timeline without its legend, in CSS pixels. */
export const stateTimelinePx = (rows: number): number =>
  TOP_PX + Math.max(1, rows) * stateRowPx + FRAME.bottom;

/** Booleans and strings over time, one row per series, and their legend. Lines up with charts of one axis by default. */
export function StateTimeline({ series, time, label, right = FRAME.right }: StateTimelineProps) {
  const { fromMs, toMs, timeZone, live, onZoom } = time;
  const axisWidth = useAxisWidth();
  const store = useMemo(
    () => (live === undefined ? fixedView({ fromMs, toMs }, stateViewOf) : createLiveView(live, stateViewOf)),
    [live, fromMs, toMs],
  );
  const colourOf = useMemo(() => stateColours(series), [series]);
  const modelOf = useMemo(() => stateModel({ series, live }, colourOf), [series, live, colourOf]);

  return (
    <div>
      <PlotPanel
        label={label}
        height={stateTimelinePx(series.length)}
        plot={{ store, rows: series, modelOf, live }}
        frame={{
          leftUnit: null,
          rightUnit: undefined,
          showsValues: false,
          room: { top: TOP_PX, right: right === 'axis' ? axisWidth : right },
        }}
        timeZone={timeZone}
        onZoom={onZoom}
      />
      <StateLegend series={series} span={{ fromMs, toMs }} live={live} colourOf={colourOf} />
    </div>
  );
}

interface StatePlot {
  series: readonly StateSeries[];
  live: LiveSource | undefined;
}

const UNIT_SCALE = { domain: [0, 1], ticks: [], step: 1 } as const;

const stateViewOf: ViewOf = (span) => ({ span, left: UNIT_SCALE, right: undefined });

const runsIn = ({ live }: StatePlot, series: StateSeries, span: TimeSpan) =>
  stateRunsOf(series, live?.states(series.id), span);

const stateModel =
  (plot: StatePlot, colourOfState: (value: boolean | string) => StateColour) =>
  ({ span }: PlotView): PlotModel => ({
    draw(context, geometry, colourOf) {
      const rows = plot.series.map((series) => ({
        label: series.label,
        runs: runsIn(plot, series, span),
        colourOf: (value: boolean | string) => {
          const slot = colourOfState(value);
          return slot === 'faint' ? 'faint' : colourOf(slot);
        },
      }));
      drawStates(context, geometry, rows);
    },
    read: (timeMs) =>
      plot.series.map((series) => {
        const run = runAt(runsIn(plot, series, span), timeMs);
        return run && readingOf(run, timeMs, colourOfState(run.value));
      }),
    step: (timeMs, count) =>
      stepOverChanges(
        plot.series.flatMap((series) => runsIn(plot, series, span)),
        span,
        timeMs,
        count,
      ),
    summary: () => plot.series.map((series) => `${summariseSeries(series, span, plot.live)}.`).join(' '),
  });

const runAt = (runs: readonly StateRun[], timeMs: number): StateRun | undefined =>
  runs.find(({ from, to }) => from <= timeMs && timeMs < to) ?? runs.find(({ to }) => to === timeMs);

const readingOf = ({ from, value }: StateRun, timeMs: number, colour: StateColour): RowReading => ({
  timeMs,
  startMs: from,
  bucketMs: 0,
  text: stateText(value),
  range: '',
  colour,
});

/** The arrow keys go from change to change. */
function stepOverChanges(runs: readonly StateRun[], span: TimeSpan, timeMs: number, count: number): number {
  const changes = [...new Set(runs.map(({ from }) => from))]
    .toSorted((a, b) => a - b)
    .filter((at) => at <= span.toMs);
  const first = changes.findIndex((at) => at >= span.fromMs);
  const inside = first === -1 ? [] : changes.slice(first);
  if (inside.length === 0) return Math.min(span.toMs, Math.max(span.fromMs, timeMs));
  const after = lowerBound(inside, timeMs + (count > 0 ? 1 : 0), 0, inside.length);
  const index = Math.min(inside.length - 1, Math.max(0, after + count - (count > 0 ? 1 : 0)));
  return inside[index] ?? timeMs;
}
