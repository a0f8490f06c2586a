import { toPixel, type LinearScale } from '../axes/linear-scale.ts';
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

/** Whether the axes are laid out for the view: its ends lie on the edges of the plot. */
export function isLaidOut({ plot, x, left }: PlotGeometry, view: PlotView): boolean {
  return (
    isAt(toPixel(x, view.span.fromMs), plot.x) &&
    isAt(toPixel(x, view.span.toMs), plot.x + plot.width) &&
    isAt(toPixel(left, view.left.domain[0]), plot.y + plot.height) &&
    isAt(toPixel(left, view.left.domain[1]), plot.y)
  );
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
