// The only file that imports recharts: it draws axes, ticks and grid, and reports their geometry.
import type { ReactNode } from 'react';
import {
  CartesianGrid,
  LineChart,
  usePlotArea,
  useXAxisScale,
  useYAxisScale,
  XAxis,
  YAxis,
  type XAxisTickContentProps,
  type YAxisTickContentProps,
} from 'recharts';
import { linearScale } from '../axes/linear-scale.ts';
import type { NiceScale } from '../axes/nice-ticks.ts';
import { tickFormat } from '../axes/format-value.ts';
import { axisWidthFor, useAxisWidth } from './axis-width.tsx';
import type { PlotGeometry } from './plot-geometry.ts';
import { type PlotView, type ViewStore, useView } from './plot-view.ts';
import type { TimeZone } from '../../ui/format/intl-formats.ts';
import type { TimeSpan } from '../live/live-window.ts';
import { formatTick, tickLabelLength } from '../axes/format-moment.ts';
import { lengthMs, timeTicks } from '../axes/time-ticks.ts';

/** The width of a character of a tick label, in CSS pixels. */
const CHARACTER_PX = 6.4;
const LABEL_GAP_PX = 14;
const MIN_STEP_PX = 28;

/** The ticks of a time axis: as many round times as have room for their labels, and the labels. */
function timeAxisTicks(
  span: TimeSpan,
  zone: TimeZone,
  plotWidth: number,
  rightRoom: number,
): { ticks: number[]; labels: string[] } {
  const pxPerMs = plotWidth / (span.toMs - span.fromMs);
  const { step, ticks } = timeTicks(span, zone, (candidate) => {
    const stepPx = lengthMs(candidate) * pxPerMs;
    // Most steps are ruled out by their length alone.
    if (stepPx < MIN_STEP_PX) return false;
    return stepPx >= tickLabelLength(candidate, span.fromMs, zone) * CHARACTER_PX + LABEL_GAP_PX;
  });
  const labels = ticks.map((ms) => {
    const text = formatTick(ms, step, zone);
    // A label that does not fit at the right is left out; its grid line stays.
    const roomPx = (span.toMs - ms) * pxPerMs + rightRoom;
    return roomPx < (text.length * CHARACTER_PX) / 2 ? '' : text;
  });
  return { ticks: [...ticks], labels };
}

export interface PlotFrameOptions {
  leftUnit: string | null;
  /** Undefined without a right axis. */
  rightUnit: string | null | undefined;
  /** False: the left axis is empty, so that charts below each other line up. */
  showsValues: boolean;
  /** The space at the edges without an axis, and for names right of the plot and its axis. */
  room: { top: number; right: number; labels?: number };
}

interface PlotFrameProps {
  width: number;
  height: number;
  store: ViewStore;
  isSeen: boolean;
  timeZone: TimeZone;
  frame: PlotFrameOptions;
  children: ReactNode;
}

/** In CSS pixels. */
export const FRAME = { caption: 22, right: 18, bottom: 24 } as const;

const NO_ROWS: never[] = [];
const LABEL = { fontSize: 11, fill: 'var(--muted, #545e60)', className: 'tabular' } as const;
/** Between a value axis and its labels, in CSS pixels. */
export const LABEL_GAP = 8;
/** From the middle of a line to the baseline that centres digits of this size. */
const BASELINE_SHIFT = 4;

function drawTimeTick({ x, y, payload, tickFormatter }: XAxisTickContentProps) {
  return (
    <text {...LABEL} x={x} y={Number(y) + 15} textAnchor="middle">
      {tickFormatter?.(payload.value, payload.index)}
    </text>
  );
}

function drawValueTick({ x, y, payload, orientation, tickFormatter }: YAxisTickContentProps) {
  const isLeft = orientation === 'left';
  return (
    <text
      {...LABEL}
      x={Number(x) + (isLeft ? -LABEL_GAP : LABEL_GAP)}
      y={Number(y) + BASELINE_SHIFT}
      textAnchor={isLeft ? 'end' : 'start'}
    >
      {tickFormatter?.(payload.value, payload.index)}
    </text>
  );
}

const GRID = { stroke: 'var(--hairline, #dfe3e3)', shapeRendering: 'crispEdges' } as const;
const AXIS = {
  type: 'number',
  niceTicks: 'none',
  allowDataOverflow: true,
  interval: 0,
  axisLine: false,
  tickLine: false,
  tickSize: 0,
  tickMargin: 0,
} as const;

/** The chart does not render while a live window moves: its axes subscribe to the view. */
export function PlotFrame(props: PlotFrameProps) {
  const { width, height, store, isSeen, timeZone, frame, children } = props;
  const { showsValues, room } = frame;
  const hasRightAxis = frame.rightUnit !== undefined;
  const labels = room.labels ?? 0;
  const axisWidth = useAxisWidth(useView(store, isSeen, (view) => (showsValues ? labelsPx(view) : 0)));
  const right = hasRightAxis ? axisWidth + labels : room.right;
  return (
    <LineChart
      width={width}
      height={height}
      data={NO_ROWS}
      accessibilityLayer={false}
      margin={{ top: room.top, right: hasRightAxis ? labels : room.right, bottom: 0, left: 0 }}
    >
      <ValueAxes store={store} isSeen={isSeen} showsValues={showsValues} width={axisWidth} />
      <TimeAxis
        store={store}
        isSeen={isSeen}
        timeZone={timeZone}
        plotWidth={Math.max(1, width - axisWidth - right)}
        rightRoom={right}
      />
      {children}
    </LineChart>
  );
}

const tickLabels = ({ ticks, step }: NiceScale): string[] => ticks.map(tickFormat(ticks, step));

/** The width that the labels of both axes need. */
const labelsPx = ({ left, right }: PlotView): number =>
  axisWidthFor([...tickLabels(left), ...(right === undefined ? [] : tickLabels(right))]);

interface ValueAxesProps {
  store: ViewStore;
  isSeen: boolean;
  showsValues: boolean;
  width: number;
}

function ValueAxes({ store, isSeen, showsValues, width }: ValueAxesProps) {
  const left = useView(store, isSeen, (view) => view.left);
  const right = useView(store, isSeen, (view) => view.right);
  return (
    <>
      {showsValues ? (
        <CartesianGrid {...GRID} yAxisId="left" vertical={false} horizontalValues={[...left.ticks]} />
      ) : null}
      <YAxis
        {...AXIS}
        yAxisId="left"
        domain={left.domain}
        ticks={left.ticks}
        tickFormatter={tickFormat(left.ticks, left.step)}
        tick={showsValues ? drawValueTick : false}
        width={width}
      />
      {right === undefined ? null : (
        <YAxis
          {...AXIS}
          yAxisId="right"
          orientation="right"
          domain={right.domain}
          ticks={right.ticks}
          tickFormatter={tickFormat(right.ticks, right.step)}
          tick={drawValueTick}
          width={width}
        />
      )}
    </>
  );
}

interface TimeAxisProps {
  store: ViewStore;
  isSeen: boolean;
  timeZone: TimeZone;
  plotWidth: number;
  rightRoom: number;
}

function TimeAxis({ store, isSeen, timeZone, plotWidth, rightRoom }: TimeAxisProps) {
  const span = useView(store, isSeen, (view) => view.span);
  const { ticks, labels } = timeAxisTicks(span, timeZone, plotWidth, rightRoom);
  return (
    <>
      <CartesianGrid {...GRID} yAxisId="left" horizontal={false} verticalValues={ticks} />
      <XAxis
        {...AXIS}
        // There are no rows, but without a key recharts uses indices for the axis.
        dataKey="ts"
        domain={[span.fromMs, span.toMs]}
        ticks={ticks}
        tickFormatter={(_, index) => labels[index] ?? ''}
        tick={drawTimeTick}
        height={FRAME.bottom}
      />
    </>
  );
}

/** For children of a `PlotFrame`: the geometry of the axes as they are drawn; undefined before the first layout. */
export function usePlotGeometry({ span, left, right }: PlotView): PlotGeometry | undefined {
  const plot = usePlotArea();
  const xScale = useXAxisScale();
  const leftScale = useYAxisScale('left');
  const rightScale = useYAxisScale('right');
  if (plot === undefined || xScale === undefined || leftScale === undefined) return undefined;
  const x = linearScale(xScale, span.fromMs, span.toMs);
  const leftAxis = linearScale(leftScale, ...left.domain);
  const rightAxis =
    right === undefined || rightScale === undefined ? undefined : linearScale(rightScale, ...right.domain);
  return x === undefined || leftAxis === undefined
    ? undefined
    : { plot, x, left: leftAxis, right: rightAxis };
}
