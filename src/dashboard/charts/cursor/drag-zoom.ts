import { toPixel, toValue } from '../axes/linear-scale.ts';
import type { TimeSpan } from '../series/time-span.ts';
import type { PlotGeometry } from '../draw/plot-geometry.ts';

/** A press that moves less is a click. */
const MIN_DRAG_PX = 5;

/** A range of time that is selected by dragging over a plot. */
export class DragZoom {
  /** A time and not a pixel, so that it moves with the samples of a live window. */
  #startMs: number | undefined;

  get isActive() {
    return this.#startMs !== undefined;
  }

  /** `x` in CSS pixels from the left of the chart, here and below. */
  start(geometry: PlotGeometry, x: number): void {
    this.#startMs = toValue(geometry.x, x);
  }

  cancel(): void {
    this.#startMs = undefined;
  }

  /** The left and right pixel of the selection; undefined while it is too short. */
  stretch({ plot, x: scale }: PlotGeometry, x: number): readonly [left: number, right: number] | undefined {
    if (this.#startMs === undefined) return undefined;
    const ends = [toPixel(scale, this.#startMs), x].map((end) =>
      Math.min(plot.x + plot.width, Math.max(plot.x, end)),
    );
    const [left, right] = [Math.min(...ends), Math.max(...ends)];
    return right - left < MIN_DRAG_PX ? undefined : [left, right];
  }

  /** Ends the drag and returns the selected range, in whole milliseconds. */
  end(geometry: PlotGeometry, x: number, within: TimeSpan): TimeSpan | undefined {
    const stretch = this.stretch(geometry, x);
    this.cancel();
    if (stretch === undefined) return undefined;
    const fromMs = Math.max(within.fromMs, Math.floor(toValue(geometry.x, stretch[0])));
    const toMs = Math.min(within.toMs, Math.ceil(toValue(geometry.x, stretch[1])));
    return toMs > fromMs ? { fromMs, toMs } : undefined;
  }
}

/** Shows or hides the selection. */
export function placeBand(
  band: HTMLElement,
  geometry: PlotGeometry,
  stretch: readonly [left: number, right: number] | undefined,
): void {
  band.hidden = stretch === undefined;
  if (stretch === undefined) return;
  const [left, right] = stretch;
  band.style.top = `${geometry.plot.y}px`;
  band.style.height = `${geometry.plot.height}px`;
  band.style.left = `${left}px`;
  band.style.width = `${right - left}px`;
}

const ZOOM_FACTOR = 2;
/** The smallest window. */
const MIN_SPAN_MS = 100;

/** Half the span, around a time that keeps its position. */
export const zoomedIn = (span: TimeSpan, aroundMs: number): TimeSpan =>
  scaled(span, aroundMs, 1 / ZOOM_FACTOR);

/** Twice the span. */
export const zoomedOut = (span: TimeSpan, aroundMs: number): TimeSpan => scaled(span, aroundMs, ZOOM_FACTOR);

function scaled({ fromMs, toMs }: TimeSpan, aroundMs: number, factor: number): TimeSpan {
  const widthMs = Math.max(MIN_SPAN_MS, (toMs - fromMs) * factor);
  const share = (aroundMs - fromMs) / (toMs - fromMs);
  const start = Math.round(aroundMs - share * widthMs);
  return { fromMs: start, toMs: start + Math.round(widthMs) };
}
