import { useMemo } from 'react';
import type { LiveSource, TimeSpan } from './live/live-window.ts';
import { FRAME } from './draw/plot-frame.tsx';
import { PlotPanel } from './plot-panel.tsx';
import { createLiveView, fixedView, type PlotView, type ViewOf } from './draw/plot-view.ts';
import type { NumberSeries } from './series/series.ts';
import { splitByAxis, useValueAxes } from './series/value-axes.ts';
import type { TimeZone } from './axes/wall-clock.ts';
import { drawLines } from './draw/draw-lines.ts';
import { drawSeries, emphasisOf } from './draw/draw-series.ts';
import { pageHighlight } from './draw/highlight.ts';
import { dashPattern } from './series/series-style.ts';
import { extentOf, unionOf, type Extent, partsOf } from './tracks/track.ts';
import { alignedScale, niceScale, steadyScale } from './axes/nice-ticks.ts';
import { formatMean, formatValue } from './axes/number-format.ts';
import type { AxisSide } from './draw/plot-geometry.ts';
import type { PlotModel, RowReading } from './draw/plot-model.ts';
import { readAt, stepFrom, type Reading } from './tracks/reading.ts';
import { summariseSeries } from './summarise-series.ts';

export interface TimeChartProps {
  /** At most two axes share a plot (left and right); series on further axes get plots below. */
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
  /** Horizontal lines, which the axes include. */
  lines?: readonly ReferenceLine[];
}

export interface ReferenceLine {
  /** The axis of a series, as `useValueAxes` chose it. */
  axis: string | undefined;
  value: number;
  unit: string | null;
  label: string;
}

/** Numbers over time: thin lines over a translucent band of minimum and maximum, gaps left open. */
export function TimeChart({ series, label, ...rest }: TimeChartProps) {
  const groups = splitByAxis(useValueAxes(series));
  return (
    <div>
      {(groups.length === 0 ? [[]] : groups).map((group) => (
        <TimePlot
          key={group[0]?.axis ?? ''}
          {...rest}
          series={group}
          label={groups.length > 1 ? `${label}, ${axesOf(group).map(captionOf(group)).join(' and ')}` : label}
          isAlone={groups.length <= 1}
          // So that plots line up below one which has a right axis.
          rightRoom={groups.length > 1 ? FRAME.axisWidth : FRAME.right}
        />
      ))}
    </div>
  );
}

const NONE_HIDDEN: ReadonlySet<string> = new Set();
const NO_LINES: readonly ReferenceLine[] = [];
const PX_PER_TICK = 32;

function TimePlot(props: TimeChartProps & { rightRoom: number; isAlone: boolean }) {
  const { series, fromMs, toMs, height, timeZone, hidden = NONE_HIDDEN } = props;
  const { onZoom, live, label, connectGapMs, includes, lines = NO_LINES, rightRoom, isAlone } = props;
  const room = { top: FRAME.caption, right: rightRoom };
  const axes = axesOf(series);
  const [leftAxis, rightAxis] = axes;
  // The only axis needs no names: the legend has them.
  const captions = isAlone && axes.length <= 1 ? [series[0]?.unit ?? null] : axes.map(captionOf(series));
  const maxTicks = Math.max(3, Math.floor((height - FRAME.caption - FRAME.bottom) / PX_PER_TICK) + 1);

  const plot = useMemo(() => {
    const visible = series.filter(({ id }) => !hidden.has(id));
    return {
      series,
      visible,
      rightAxis: leftAxis === rightAxis ? undefined : rightAxis,
      live,
      connectGapMs,
      maxTicks,
      includes,
      lines,
    };
  }, [series, hidden, leftAxis, rightAxis, live, connectGapMs, maxTicks, includes, lines]);
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
      plot={{ store, rows: plot.visible, modelOf, live }}
      frame={{
        leftUnit: captions[0] ?? null,
        rightUnit: rightAxis === undefined ? undefined : (captions[1] ?? null),
        showsValues: true,
        room,
      }}
      timeZone={timeZone}
      onZoom={onZoom}
    />
  );
}

const axesOf = (series: readonly NumberSeries[]) => [...new Set(series.map(({ axis }) => axis))];

/** The unit of an axis; without one, the names of its series. */
const captionOf =
  (series: readonly NumberSeries[]) =>
  (axis: string | undefined): string => {
    const own = series.filter((each) => each.axis === axis);
    return own[0]?.unit ?? [...new Set(own.map(({ label }) => label))].join(', ');
  };

/** One plot of numbers, on at most two axes. */
interface NumberPlot {
  series: readonly NumberSeries[];
  visible: readonly NumberSeries[];
  /** Undefined with one axis. */
  rightAxis: string | undefined;
  live: LiveSource | undefined;
  connectGapMs: number | undefined;
  maxTicks: number;
  /** A value that the left axis always includes: 0 for a rate. */
  includes: number | undefined;
  lines: readonly ReferenceLine[];
}

const partsIn = ({ live, connectGapMs }: NumberPlot, series: NumberSeries, span: TimeSpan) =>
  partsOf(series, live?.numbers(series.id), span, connectGapMs);

const sideOf = ({ rightAxis }: NumberPlot, { axis }: { axis?: string | undefined }): AxisSide =>
  rightAxis !== undefined && axis === rightAxis ? 'right' : 'left';

const lineText = ({ value, unit, label }: ReferenceLine): string =>
  label === '' ? formatValue(value, { unit }) : `${label} (${formatValue(value, { unit })})`;

/** The axes of a plot for a span: round ticks around the visible values, the right axis on the grid of the left one. */
function numberViewOf(plot: NumberPlot): ViewOf {
  return (span, before) => {
    const left = steadyScale(before?.left, extentOn(plot, 'left', span), (extent) =>
      niceScale(extent, plot.maxTicks),
    );
    if (plot.rightAxis === undefined) return { span, left, right: undefined };
    const count = left.ticks.length;
    const kept = before?.right?.ticks.length === count ? before.right : undefined;
    const right = steadyScale(kept, extentOn(plot, 'right', span), (extent) => alignedScale(extent, count));
    return { span, left, right };
  };
}

/** The range of the visible series; of all if none is visible, so that the axis stays. */
function extentOn(plot: NumberPlot, side: AxisSide, span: TimeSpan): Extent | undefined {
  const onSide = (series: readonly NumberSeries[]) => series.filter((each) => sideOf(plot, each) === side);
  const visible = onSide(plot.visible);
  const counted = visible.length > 0 ? visible : onSide(plot.series);
  const extents = counted.map((series) => extentOf(partsIn(plot, series, span)));
  const { includes, lines } = plot;
  for (const line of lines) if (sideOf(plot, line) === side) extents.push([line.value, line.value]);
  return unionOf(side === 'left' && includes !== undefined ? [...extents, [includes, includes]] : extents);
}

const numberModel =
  (plot: NumberPlot) =>
  ({ span, left, right }: PlotView): PlotModel => {
    const { visible } = plot;
    const stepOf = (series: NumberSeries) => (sideOf(plot, series) === 'right' ? (right ?? left) : left).step;
    return {
      draw(context, geometry, colourOf, devicePx) {
        const chosen = pageHighlight.get();
        const highlighted = visible.some(({ id }) => id === chosen) ? chosen : null;
        const drawn = visible.map((series) => ({
          parts: partsIn(plot, series, span),
          colour: colourOf(series.colour),
          side: sideOf(plot, series),
          dashes: dashPattern(series),
          emphasis: emphasisOf(series, highlighted),
        }));
        drawSeries(context, geometry, drawn, devicePx);
        const lines = plot.lines.map((line) => ({
          value: line.value,
          text: lineText(line),
          side: sideOf(plot, line),
        }));
        drawLines(context, geometry, lines);
      },
      read: (timeMs, reachMs) =>
        visible.map((series) => {
          const reading = readAt(partsIn(plot, series, span), timeMs, reachMs);
          return reading === undefined
            ? undefined
            : rowReading(reading, series, sideOf(plot, series), stepOf(series));
        }),
      step: (timeMs, count) =>
        stepFrom(
          visible.map((series) => partsIn(plot, series, span)),
          span,
          timeMs,
          count,
        ),
      summary: () =>
        [
          ...visible.map((series) => `${summariseSeries(series, span, plot.live)}.`),
          ...plot.lines.map((line) => `Reference line: ${lineText(line)}.`),
        ].join(' '),
    };
  };

function rowReading(reading: Reading, series: NumberSeries, side: AxisSide, step: number): RowReading {
  const { timeMs, startMs, bucketMs, value } = reading;
  const text =
    bucketMs === 0 ? { value: formatValue(value, series), range: '' } : formatMean(reading, series, step);
  return { timeMs, startMs, bucketMs, text: text.value, range: text.range, mark: { value, side } };
}
