import type { DrawContext } from './draw-context.ts';
import { PixelBand, PixelPath, traceBand, traceLine } from './pixel-path.ts';
import { yScaleOf, type AxisSide, type PlotGeometry } from './plot-geometry.ts';
import type { Part } from '../tracks/track.ts';

export interface DrawnSeries {
  parts: readonly Part[];
  colour: string;
  side: AxisSide;
  dashes: readonly number[];
  emphasis: Emphasis;
}

/** `comparison`: an earlier period, behind the shown one. `faded`: another series is highlighted. */
export type Emphasis = 'normal' | 'comparison' | 'faded' | 'highlighted';

/** How a series is drawn while `highlighted` stands out; null: none of this plot. */
export const emphasisOf = (
  { id, comparisonOf }: { id: string; comparisonOf?: string },
  highlighted: string | null,
): Emphasis => {
  if (highlighted === id) return 'highlighted';
  if (highlighted !== null && highlighted !== comparisonOf) return 'faded';
  return comparisonOf === undefined ? 'normal' : 'comparison';
};

const LINE_PX = 1.25;
const CROWDED_LINE_PX = 1;
const DOT_PX = 2;
/** Of a series that is drawn as one point. */
const ONLY_DOT_PX = 4;
const BAND_ALPHA = 0.16;
/** Of the edges of a band, so that extremes of a bucket or two are visible. */
const EDGE_ALPHA = 0.35;
const LINE_ALPHA: Record<Emphasis, number> = { normal: 1, comparison: 0.55, faded: 0.2, highlighted: 1 };
/** How much wider a highlighted line is. */
const HIGHLIGHT_PX = 1;

// One chart draws at a time, so all charts share these buffers.
const path = new PixelPath();
const band = new PixelBand();

/**
 * Bands first, so that no line is covered; a highlighted line last. The context is scaled to CSS pixels; `devicePx` is
 * one device pixel in them.
 */
export function drawSeries(
  context: DrawContext,
  geometry: PlotGeometry,
  series: readonly DrawnSeries[],
  devicePx: number,
) {
  context.lineJoin = 'round';
  for (const each of series) drawBand(context, geometry, each, devicePx);
  for (const each of series) if (each.emphasis !== 'highlighted') drawLine(context, geometry, each, devicePx);
  for (const each of series) if (each.emphasis === 'highlighted') drawLine(context, geometry, each, devicePx);
  context.globalAlpha = 1;
  context.setLineDash([]);
}

/**
 * Thinner where points lie within two pixels: the difference is invisible, and without a graphics card a line of one
 * pixel costs an eighth of a wider one.
 */
const lineWidth = (pointsPerPx: number) => (pointsPerPx > 0.5 ? CROWDED_LINE_PX : LINE_PX);

function drawBand(context: DrawContext, geometry: PlotGeometry, series: DrawnSeries, devicePx: number) {
  if (series.parts.every((part) => part.low === null)) return;
  traceBand(series.parts, geometry.x, yScaleOf(geometry, series.side), devicePx, band);
  const { x, top, bottom } = band;
  context.globalAlpha = BAND_ALPHA * LINE_ALPHA[series.emphasis];
  context.fillStyle = series.colour;
  context.beginPath();
  let from = 0;
  for (let i = 0; i < x.length; i += 1) {
    if (!Number.isNaN(x.values[i])) continue;
    for (let k = from; k < i; k += 1) {
      if (k === from) context.moveTo(x.values[k]!, top.values[k]!);
      else context.lineTo(x.values[k]!, top.values[k]!);
    }
    for (let k = i - 1; k >= from; k -= 1) context.lineTo(x.values[k]!, bottom.values[k]!);
    context.closePath();
    from = i + 1;
  }
  context.fill();
  context.globalAlpha = EDGE_ALPHA * LINE_ALPHA[series.emphasis];
  context.strokeStyle = series.colour;
  context.lineWidth = CROWDED_LINE_PX;
  context.stroke();
}

function drawLine(context: DrawContext, geometry: PlotGeometry, series: DrawnSeries, devicePx: number) {
  traceLine(series.parts, geometry.x, yScaleOf(geometry, series.side), devicePx, path);
  const { x, y, dotX, dotY } = path;
  context.globalAlpha = LINE_ALPHA[series.emphasis];
  context.setLineDash([...series.dashes]);
  context.strokeStyle = series.colour;
  context.fillStyle = series.colour;
  context.lineWidth =
    lineWidth(x.length / geometry.plot.width) + (series.emphasis === 'highlighted' ? HIGHLIGHT_PX : 0);
  context.beginPath();
  let isDown = false;
  for (let i = 0; i < x.length; i += 1) {
    const px = x.values[i]!;
    if (Number.isNaN(px)) {
      isDown = false;
    } else if (isDown) {
      context.lineTo(px, y.values[i]!);
    } else {
      context.moveTo(px, y.values[i]!);
      isDown = true;
    }
  }
  context.stroke();
  if (dotX.length === 0) return;
  const radius = x.length === 0 && dotX.length === 1 ? ONLY_DOT_PX : DOT_PX;
  context.beginPath();
  for (let i = 0; i < dotX.length; i += 1) {
    const [px, py] = [dotX.values[i]!, dotY.values[i]!];
    context.moveTo(px + radius, py);
    context.arc(px, py, radius, 0, 2 * Math.PI);
  }
  context.fill();
}
