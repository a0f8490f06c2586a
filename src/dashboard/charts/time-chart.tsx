import { useMemo } from 'react';
import type { LiveSource } from './live/live-window.ts';
import { numberModel, numberViewOf } from './number-plot.ts';
import { FRAME } from './draw/plot-frame.tsx';
import { PlotPanel } from './plot-panel.tsx';
import { createLiveView, fixedView } from './draw/plot-view.ts';
import { type NumberSeries, splitByUnit } from './series/series.ts';
import type { TimeZone } from './axes/wall-clock.ts';

export interface TimeChartProps {
  /** At most two units share a plot (left and right axis); further units get plots below. */
  series: readonly NumberSeries[];
  /** Epoch ms; in live mode, `live` defines the window. */
  fromMs: number;
  toMs: number;
  /** Of one plot, in CSS pixels. */
  height: number;
  timeZone: TimeZone;
  /** IDs of series that are hidden and ignored by the axes. */
  hidden?: ReadonlySet<string>;
  /** A range was selected by dragging, or by `+`, `-` or Enter. */
  onZoom?: (fromMs: number, toMs: number) => void;
  /** Live mode: its samples are drawn after the series' columns. */
  live?: LiveSource;
  /** The accessible name of the chart. */
  label: string;
  /** Points up to this distance are connected. Default: three usual steps. */
  connectGapMs?: number;
  /** A value that the left axis always includes: 0 for a rate. */
  includes?: number;
}

/** Numbers over time: thin lines over a translucent band of minimum and maximum, gaps left open. */
export function TimeChart({ series, label, ...rest }: TimeChartProps) {
  const groups = splitByUnit(series);
  return (
    <div>
      {(groups.length === 0 ? [[]] : groups).map((group) => (
        <TimePlot
          key={group[0]?.unit ?? ''}
          {...rest}
          series={group}
          label={groups.length > 1 ? `${label}, ${unitsOf(group).join(' and ')}` : label}
          // So that plots line up below one which has a right axis.
          rightRoom={groups.length > 1 ? FRAME.axisWidth : FRAME.right}
        />
      ))}
    </div>
  );
}

const NONE_HIDDEN: ReadonlySet<string> = new Set();
const PX_PER_TICK = 32;

function TimePlot(props: TimeChartProps & { rightRoom: number }) {
  const { series, fromMs, toMs, height, timeZone, hidden = NONE_HIDDEN } = props;
  const { onZoom, live, label, connectGapMs, includes, rightRoom } = props;
  const room = { top: FRAME.caption, right: rightRoom };
  const [leftUnit = null, rightUnit] = unitsOf(series);
  const maxTicks = Math.max(3, Math.floor((height - FRAME.caption - FRAME.bottom) / PX_PER_TICK) + 1);

  const plot = useMemo(() => {
    const visible = series.filter(({ id }) => !hidden.has(id));
    return { series, visible, leftUnit, rightUnit, live, connectGapMs, maxTicks, includes };
  }, [series, hidden, leftUnit, rightUnit, live, connectGapMs, maxTicks, includes]);
  const store = useMemo(
    () =>
      live === undefined
        ? fixedView({ fromMs, toMs }, numberViewOf(plot))
        : createLiveView(live, numberViewOf(plot)),
    [plot, live, fromMs, toMs],
  );
  const modelOf = useMemo(() => numberModel(plot), [plot]);

  return (
    <PlotPanel
      label={label}
      height={height}
      store={store}
      rows={plot.visible}
      modelOf={modelOf}
      leftUnit={leftUnit}
      rightUnit={rightUnit}
      showsValues
      room={room}
      timeZone={timeZone}
      live={live}
      onZoom={onZoom}
    />
  );
}

const unitsOf = (series: readonly NumberSeries[]) => [...new Set(series.map(({ unit }) => unit))];
