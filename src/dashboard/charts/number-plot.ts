import { drawSeries } from './draw/draw-series.ts';
import { extentOf, unionOf, type Extent, partsOf } from './tracks/track.ts';
import type { LiveSource, TimeSpan } from './live/live-window.ts';
import { alignedScale, niceScale, steadyScale } from './axes/nice-ticks.ts';
import { formatMean, formatValue } from './axes/number-format.ts';
import type { AxisSide } from './draw/plot-geometry.ts';
import type { PlotModel, RowReading } from './draw/plot-model.ts';
import type { PlotView, ViewOf } from './draw/plot-view.ts';
import { readAt, stepFrom, type Reading } from './tracks/reading.ts';
import type { NumberSeries } from './series/series.ts';
import { summariseSeries } from './summarise-series.ts';

/** One plot of numbers, of at most two units. */
export interface NumberPlot {
  series: readonly NumberSeries[];
  visible: readonly NumberSeries[];
  leftUnit: string | null;
  /** Undefined with one unit. */
  rightUnit: string | null | undefined;
  live: LiveSource | undefined;
  connectGapMs: number | undefined;
  maxTicks: number;
  /** A value that the left axis always includes: 0 for a rate. */
  includes: number | undefined;
}

const partsIn = ({ live, connectGapMs }: NumberPlot, series: NumberSeries, span: TimeSpan) =>
  partsOf(series, live?.numbers(series.id), span, connectGapMs);

const sideOf = ({ rightUnit }: NumberPlot, series: NumberSeries): AxisSide =>
  rightUnit !== undefined && series.unit === rightUnit ? 'right' : 'left';

/** The axes of a plot for a span: round ticks around the visible values, the right axis on the grid of the left one. */
export function numberViewOf(plot: NumberPlot): ViewOf {
  return (span, before) => {
    const left = steadyScale(before?.left, extentOn(plot, 'left', span), (extent) =>
      niceScale(extent, plot.maxTicks),
    );
    if (plot.rightUnit === undefined) return { span, left, right: undefined };
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
  const { includes } = plot;
  return unionOf(side === 'left' && includes !== undefined ? [...extents, [includes, includes]] : extents);
}

export const numberModel =
  (plot: NumberPlot) =>
  ({ span, left, right }: PlotView): PlotModel => {
    const { visible } = plot;
    const stepOf = (series: NumberSeries) => (sideOf(plot, series) === 'right' ? (right ?? left) : left).step;
    return {
      draw(context, geometry, colourOf, devicePx) {
        const drawn = visible.map((series) => ({
          parts: partsIn(plot, series, span),
          colour: colourOf(series.colour),
          side: sideOf(plot, series),
          isComparison: series.isComparison ?? false,
        }));
        drawSeries(context, geometry, drawn, devicePx);
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
      summary: () => visible.map((series) => `${summariseSeries(series, span, plot.live)}.`).join(' '),
    };
  };

function rowReading(reading: Reading, { unit }: NumberSeries, side: AxisSide, step: number): RowReading {
  const { timeMs, startMs, bucketMs, value } = reading;
  const text =
    bucketMs === 0 ? { value: formatValue(value, unit), range: '' } : formatMean(reading, unit, step);
  return { timeMs, startMs, bucketMs, text: text.value, range: text.range, mark: { value, side } };
}
