import { useMemo } from 'react';
import type { ChartTime } from './chart-time.ts';
import type { LiveSource } from './live/live-window.ts';
import type { TimeSpan } from './series/time-span.ts';
import { axisChoice, AxisWidthProvider, useAxisWidth } from './draw/axis-width.tsx';
import { FRAME } from './draw/plot-frame.tsx';
import { PlotPanel } from './plot-panel.tsx';
import { createLiveView, fixedView, type PlotView, type ViewOf } from './draw/plot-view.ts';
import type { NumberSeries } from './series/series.ts';
import { splitByAxis, useValueAxes } from './series/value-axes.ts';
import { toPixel } from './axes/linear-scale.ts';
import { drawLabels, type DrawnLabel } from './draw/draw-labels.ts';
import { drawReferenceLines } from './draw/draw-reference-lines.ts';
import { drawSeries, emphasisOf } from './draw/draw-series.ts';
import { highlightedId } from './draw/highlight.ts';
import { dashPattern } from './series/series-style.ts';
import { extentOf, lastValueIn, unionOf, type Extent, partsOf } from './tracks/track.ts';
import { alignedScale, niceScale, steadyScale } from './axes/nice-ticks.ts';
import { formatMean, formatValue } from '../ui/format/format-value.ts';
import { yScaleOf, type AxisSide } from './draw/plot-geometry.ts';
import type { PlotModel, RowReading } from './draw/plot-model.ts';
import { readAt, stepFrom, type Reading } from './tracks/reading.ts';
import { summariseSeries } from './summarise-series.ts';

interface TimeChartProps {
  /** At most two axes share a plot (left and right); series on further axes get plots below. */
  series: readonly NumberSeries[];
  time: ChartTime;
  /** Of one plot, in CSS pixels. */
  height: number;
  /** The accessible name of the chart. */
  label: string;
  options?: ChartOptions;
}

/** What a chart draws besides its lines, and how. */
export interface ChartOptions {
  /** Points up to this distance are connected. Default: three usual steps. */
  connectGapMs?: number;
  /** A value that the left axis always includes: 0 for a rate. */
  includes?: number;
  /** Horizontal lines, which the axes include. */
  lines?: readonly ReferenceLine[];
  /** The room at the right for the names of the lines, in CSS pixels. Default: none. */
  labelsPx?: number;
}

export interface ReferenceLine {
  /** The axis of a series, as `useValueAxes` chose it. */
  axis: string | undefined;
  value: number;
  unit: string | null;
  label: string;
}

/** Numbers over time: thin lines over a translucent band of minimum and maximum, gaps left open. */
export function TimeChart(props: TimeChartProps) {
  return (
    <AxisWidthProvider choice={axisChoice(props.series, props.time)}>
      <TimePlots {...props} />
    </AxisWidthProvider>
  );
}

function TimePlots({ series, label, options = NO_OPTIONS, ...rest }: TimeChartProps) {
  const groups = splitByAxis(useValueAxes(series));
  const { labelsPx = 0 } = options;
  const axisWidth = useAxisWidth();
  return (
    <div>
      {(groups.length === 0 ? [[]] : groups).map((group) => (
        <TimePlot
          key={group[0]?.axis ?? ''}
          {...rest}
          options={options}
          series={group}
          label={groups.length > 1 ? `${label}, ${axesOf(group).map(captionOf(group)).join(' and ')}` : label}
          isAlone={groups.length <= 1}
          // So that plots line up below one which has a right axis.
          rightRoom={groups.length > 1 ? axisWidth + labelsPx : Math.max(FRAME.right, labelsPx)}
        />
      ))}
    </div>
  );
}

const NO_OPTIONS: ChartOptions = {};
const NO_LINES: readonly ReferenceLine[] = [];
const PX_PER_TICK = 32;

type PlotProps = Required<TimeChartProps> & { rightRoom: number; isAlone: boolean };

function TimePlot({ series, time, height, label, options, rightRoom, isAlone }: PlotProps) {
  const { fromMs, toMs, timeZone, live, onZoom } = time;
  const { connectGapMs, includes, lines = NO_LINES, labelsPx = 0 } = options;
  const room = { top: FRAME.caption, right: rightRoom, labels: labelsPx };
  const axes = axesOf(series);
  const [leftAxis, rightAxis] = axes;
  // The only axis needs no names: the legend has them.
  const captions = isAlone && axes.length <= 1 ? [series[0]?.unit ?? null] : axes.map(captionOf(series));
  const maxTicks = Math.max(3, Math.floor((height - FRAME.caption - FRAME.bottom) / PX_PER_TICK) + 1);

  const plot = useMemo(
    () => ({
      series,
      rightAxis: leftAxis === rightAxis ? undefined : rightAxis,
      live,
      connectGapMs,
      maxTicks,
      includes,
      lines,
      labelsPx,
    }),
    [series, leftAxis, rightAxis, live, connectGapMs, maxTicks, includes, lines, labelsPx],
  );
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
      plot={{ store, rows: series, modelOf, live }}
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
  /** Undefined with one axis. */
  rightAxis: string | undefined;
  live: LiveSource | undefined;
  connectGapMs: number | undefined;
  maxTicks: number;
  /** A value that the left axis always includes: 0 for a rate. */
  includes: number | undefined;
  lines: readonly ReferenceLine[];
  labelsPx: number;
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

/** The range of the series on one side. */
function extentOn(plot: NumberPlot, side: AxisSide, span: TimeSpan): Extent | undefined {
  const onSide = plot.series.filter((each) => sideOf(plot, each) === side);
  const extents = onSide.map((series) => extentOf(partsIn(plot, series, span)));
  const { includes, lines } = plot;
  for (const line of lines) if (sideOf(plot, line) === side) extents.push([line.value, line.value]);
  return unionOf(side === 'left' && includes !== undefined ? [...extents, [includes, includes]] : extents);
}

const numberModel =
  (plot: NumberPlot) =>
  ({ span, left, right }: PlotView): PlotModel => {
    const { series: all } = plot;
    const stepOf = (series: NumberSeries) => (sideOf(plot, series) === 'right' ? (right ?? left) : left).step;
    return {
      draw(context, geometry, colourOf, devicePx) {
        const highlighted = highlightedId(all);
        const drawn = all.map((series) => ({
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
        drawReferenceLines(context, geometry, lines);
      },
      ...(plot.labelsPx > 0 && { drawOutside: labelsAtEnd(plot, span) }),
      read: (timeMs, reachMs) =>
        all.map((series) => {
          const reading = readAt(partsIn(plot, series, span), timeMs, reachMs);
          return reading === undefined
            ? undefined
            : rowReading(reading, series, sideOf(plot, series), stepOf(series));
        }),
      step: (timeMs, count) =>
        stepFrom(
          all.map((series) => partsIn(plot, series, span)),
          span,
          timeMs,
          count,
        ),
      summary: () =>
        [
          ...all.map((series) => `${summariseSeries(series, span, plot.live)}.`),
          ...plot.lines.map((line) => `Reference line: ${lineText(line)}.`),
        ].join(' '),
    };
  };

/** Draws the names of the lines right of the plot. */
const labelsAtEnd =
  (plot: NumberPlot, span: TimeSpan): NonNullable<PlotModel['drawOutside']> =>
  (context, geometry, colourOf) => {
    const highlighted = highlightedId(plot.series);
    const labels = plot.series.flatMap((series): DrawnLabel[] => {
      const value = lastValueIn(partsIn(plot, series, span), span);
      if (value === undefined) return [];
      return [
        {
          text: series.lineLabel ?? series.label,
          y: toPixel(yScaleOf(geometry, sideOf(plot, series)), value),
          colour: colourOf(series.colour),
          dashes: dashPattern(series),
          isFaded: emphasisOf(series, highlighted) === 'faded',
        },
      ];
    });
    const { x, width } = geometry.plot;
    // The plot begins right of the left axis, which is as wide as the right one.
    const fromX = x + width + (plot.rightAxis === undefined ? 0 : x);
    drawLabels(context, geometry, labels, { fromX, roomPx: plot.labelsPx });
  };

function rowReading(reading: Reading, series: NumberSeries, side: AxisSide, step: number): RowReading {
  const { timeMs, startMs, bucketMs, value } = reading;
  const text =
    bucketMs === 0 ? { value: formatValue(value, series), range: '' } : formatMean(reading, series, step);
  return { timeMs, startMs, bucketMs, text: text.value, range: text.range, mark: { value, side } };
}
