// The one file that knows recharts: it draws axes, ticks and grid, and tells where they stand.
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
import { linearScale } from './linear-scale.ts';
import type { TimeSpan } from './live-window.ts';
import type { NiceScale } from './nice-ticks.ts';
import type { PlotGeometry } from './plot-geometry.ts';

export interface YAxisModel extends NiceScale {
  format: (value: number) => string;
}

interface PlotFrameProps {
  width: number;
  height: number;
  span: TimeSpan;
  timeTicks: readonly number[];
  formatTime: (ms: number) => string;
  left: YAxisModel;
  right: YAxisModel | undefined;
  /** Without them the left axis only keeps its room, so that charts below one another line up. */
  showsValues: boolean;
  /** Between the plot and the edges of the chart, where no axis is. */
  room: { top: number; right: number };
  children: ReactNode;
}

/** In CSS pixels. The axes keep their width whatever their labels say, so that nothing moves with the values. */
export const FRAME = { axisWidth: 46, caption: 22, right: 18, bottom: 24 } as const;

const NO_ROWS: never[] = [];
const LABEL = { fontSize: 11, fill: 'var(--muted, #545e60)', className: 'tabular' } as const;
const LABEL_GAP = 8;
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

export function PlotFrame(props: PlotFrameProps) {
  const { width, height, span, timeTicks, formatTime, left, right, showsValues, room, children } = props;
  return (
    <LineChart
      width={width}
      height={height}
      data={NO_ROWS}
      accessibilityLayer={false}
      margin={{ top: room.top, right: right === undefined ? room.right : 0, bottom: 0, left: 0 }}
    >
      <CartesianGrid
        yAxisId="left"
        stroke="var(--hairline, #dfe3e3)"
        horizontal={showsValues}
        horizontalValues={[...left.ticks]}
        verticalValues={[...timeTicks]}
        shapeRendering="crispEdges"
      />
      <XAxis
        {...AXIS}
        // There are no rows, but without a key recharts takes the axis for their indices.
        dataKey="ts"
        domain={[span.fromMs, span.toMs]}
        ticks={timeTicks}
        tickFormatter={formatTime}
        tick={drawTimeTick}
        height={FRAME.bottom}
      />
      <YAxis
        {...AXIS}
        yAxisId="left"
        domain={left.domain}
        ticks={left.ticks}
        tickFormatter={left.format}
        tick={showsValues ? drawValueTick : false}
        width={FRAME.axisWidth}
      />
      {right === undefined ? null : (
        <YAxis
          {...AXIS}
          yAxisId="right"
          orientation="right"
          domain={right.domain}
          ticks={right.ticks}
          tickFormatter={right.format}
          tick={drawValueTick}
          width={FRAME.axisWidth}
        />
      )}
      {children}
    </LineChart>
  );
}

/** For children of a `PlotFrame`: the geometry of the axes as they are drawn; undefined before the first layout. */
export function usePlotGeometry(
  span: TimeSpan,
  left: NiceScale,
  right: NiceScale | undefined,
): PlotGeometry | undefined {
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
