// The only file that imports recharts: it draws axes, ticks and grid, and reports their geometry.
import { useCallback, useEffect, useMemo, type ReactNode } from 'react';
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
import type { NiceScale } from '../axes/nice-ticks.ts';
import { tickFormat } from '../../ui/format/format-value.ts';
import { axisWidthFor, LABEL_GAP, useAxisWidth } from './axis-width.tsx';
import type { PlotScales } from './plot-geometry.ts';
import { type PlotView, type ViewStore, useView } from './plot-view.ts';
import type { TimeZone } from '../../ui/format/intl-formats.ts';
import type { TimeSpan } from '../series/time-span.ts';
import { formatTick, tickLabelLength } from '../axes/format-moment.ts';
import { lengthMs, timeTicks } from '../axes/time-ticks.ts';

/** The width of a character of a tick label, in CSS pixels. */
const CHARACTER_PX = 6.4;
const LABEL_GAP_PX = 14;
const MIN_STEP_PX = 28;

interface TimeAxisTicks {
  ticks: number[];
  labels: string[];
}

/** Most charts of a page have the same time axis, and its labels are the longest part of moving it. */
const knownTicks = new Map<string, TimeAxisTicks>();
const MAX_KNOWN_TICKS = 50;

function knownTimeAxisTicks(
  span: TimeSpan,
  zone: TimeZone,
  plotWidth: number,
  rightRoom: number,
): TimeAxisTicks {
  const key = `${span.fromMs} ${span.toMs} ${zone} ${plotWidth} ${rightRoom}`;
  const known = knownTicks.get(key);
  if (known !== undefined) return known;
  if (knownTicks.size >= MAX_KNOWN_TICKS) knownTicks.clear();
  const made = timeAxisTicks(span, zone, plotWidth, rightRoom);
  knownTicks.set(key, made);
  return made;
}

/** The ticks of a time axis: as many round times as have room for their labels, and the labels. */
function timeAxisTicks(span: TimeSpan, zone: TimeZone, plotWidth: number, rightRoom: number): TimeAxisTicks {
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

const isSameTicks = (a: TimeAxisTicks, b: TimeAxisTicks): boolean =>
  a.ticks.length === b.ticks.length &&
  a.ticks.every((ms, index) => ms === b.ticks[index] && a.labels[index] === b.labels[index]);

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

/** The chart does not render while a live window moves: its axes subscribe to the view, and `moveTimeAxis` moves them. */
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
const labelsPx = ({ left, right }: Pick<PlotView, 'left' | 'right'>): number =>
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
  const span = useView(store, isSeen, (view) => view.axisSpan);
  const ticksOf = useCallback(
    (of: TimeSpan) => knownTimeAxisTicks(of, timeZone, plotWidth, rightRoom),
    [timeZone, plotWidth, rightRoom],
  );
  useEffect(() => {
    store.setTicks((a, b) => isSameTicks(ticksOf(a), ticksOf(b)));
  }, [store, ticksOf]);
  const { ticks, labels } = ticksOf(span);
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

/** For children of a `PlotFrame`: the scales of the axes as they are rendered; undefined before the first layout. */
export function usePlotScales(): PlotScales | undefined {
  const plot = usePlotArea();
  const x = useXAxisScale();
  const left = useYAxisScale('left');
  const right = useYAxisScale('right');
  return useMemo(
    () =>
      plot === undefined || x === undefined || left === undefined ? undefined : { plot, x, left, right },
    [plot, x, left, right],
  );
}

/** The labels and the grid lines of the time axis. */
const MOVED = ['recharts-xAxis-tick-labels', 'recharts-cartesian-grid-vertical'] as const;

/** Moves the rendered time axis of the chart in `parent` without React, in CSS pixels from where recharts put it. */
export function moveTimeAxis(parent: Element, shiftPx: number): void {
  const transform = `translate(${shiftPx.toFixed(3)})`;
  for (const name of MOVED) {
    const group = parent.getElementsByClassName(name)[0];
    if (group !== undefined && group.getAttribute('transform') !== transform)
      group.setAttribute('transform', transform);
  }
}
