import { linearScale, toPixel, type LinearScale } from '../axes/linear-scale.ts';
import type { PlotView } from './plot-view.ts';
import type { ColourSlot } from '../series/series.ts';
import { createListeners } from '../../ui/browser/listeners.ts';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The positions of the axes, as laid out. */
export interface PlotGeometry {
  /** In CSS pixels from the corner of the chart. */
  plot: Box;
  x: LinearScale;
  left: LinearScale;
  right: LinearScale | undefined;
}

export type AxisSide = 'left' | 'right';

export const yScaleOf = (geometry: PlotGeometry, side: AxisSide) =>
  side === 'right' ? (geometry.right ?? geometry.left) : geometry.left;

type Scale = (value: number) => number | undefined;

/** The plot and the scales of its axes, as they are rendered. */
export interface PlotScales {
  plot: Box;
  x: Scale;
  left: Scale;
  right: Scale | undefined;
}

/** A view on its axes, as they are rendered. */
export interface PlotPlace {
  geometry: PlotGeometry;
  /** How far the rendered time axis has to move, in CSS pixels. */
  shiftPx: number;
  /** Whether the axes are rendered for the view: for its length in time, and for its values. */
  isLaidOut: boolean;
}

export function placeView(scales: PlotScales, { span, left, right }: PlotView): PlotPlace | undefined {
  const { plot } = scales;
  const x = linearScale(scales.x, span.fromMs, span.toMs);
  const leftAxis = linearScale(scales.left, ...left.domain);
  if (x === undefined || leftAxis === undefined) return undefined;
  const rightAxis =
    right === undefined || scales.right === undefined
      ? undefined
      : linearScale(scales.right, ...right.domain);
  const isAsLong = isAt(toPixel(x, span.toMs) - x.origin, plot.width);
  const hasValues =
    isAt(toPixel(leftAxis, left.domain[0]), plot.y + plot.height) &&
    isAt(toPixel(leftAxis, left.domain[1]), plot.y);
  const shiftPx = isAsLong ? plot.x - x.origin : 0;
  return {
    geometry: { plot, x: { ...x, origin: x.origin + shiftPx }, left: leftAxis, right: rightAxis },
    shiftPx,
    isLaidOut: isAsLong && hasValues,
  };
}

const isAt = (pixel: number, edge: number) => Math.abs(pixel - edge) < 0.01;

/** What the canvas and the cursor of a plot share outside React. */
export class PlotHandle {
  geometry: PlotGeometry | undefined = undefined;
  /** Colours of the current theme. Cached, since reading one makes the browser compute styles. */
  readonly colours = new Map<ColourSlot, string>();
  readonly #drawn = createListeners();

  drawn(geometry: PlotGeometry): void {
    this.geometry = geometry;
    this.#drawn.notify();
  }

  /** Calls back after each drawing. */
  readonly subscribe = this.#drawn.subscribe;
}
