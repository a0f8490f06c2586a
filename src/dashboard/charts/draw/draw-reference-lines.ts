import { toPixel } from '../axes/linear-scale.ts';
import { themeColour, type DrawContext } from './draw-context.ts';
import { yScaleOf, type AxisSide, type PlotGeometry } from './plot-geometry.ts';

export interface DrawnReferenceLine {
  value: number;
  text: string;
  side: AxisSide;
}

const DASHES = [6, 4];
const TEXT_GAP_PX = 4;
/** Around letters, so that they are readable over series and hide little of them. */
const HALO_PX = 3;
export const LINE_HEIGHT_PX = 14;

/**
 * The middle of each text, in CSS pixels. A text is above its line and above the texts of lower lines, or below its line where
 * the plot has no room above it. `lines`: their places, the lowest line first.
 */
export function placeTexts(lines: readonly number[], top: number): number[] {
  const half = LINE_HEIGHT_PX / 2;
  let limit = Infinity;
  const above = lines.map((y) => {
    const place = Math.min(y - half, limit);
    limit = place - LINE_HEIGHT_PX;
    return place;
  });
  let least = top + half;
  return above.reduceRight<number[]>((placed, place, index) => {
    const free = place >= least ? place : Math.max(least, lines[index]! + half);
    least = free + LINE_HEIGHT_PX;
    return [free, ...placed];
  }, []);
}

/**
 * Draws horizontal lines across the plot, each with its text at the left, where the oldest samples are: above the line, below
 * it at the top, and away from the texts of other lines.
 */
export function drawReferenceLines(
  context: DrawContext,
  geometry: PlotGeometry,
  lines: readonly DrawnReferenceLine[],
): void {
  if (lines.length === 0) return;
  const { plot } = geometry;
  const style = getComputedStyle(context.canvas);
  const ink = themeColour(style, 'ink');
  const drawn = lines
    .map(({ value, text, side }) => ({ text, y: toPixel(yScaleOf(geometry, side), value) }))
    .toSorted((a, b) => b.y - a.y);
  context.lineWidth = 1;
  context.strokeStyle = ink;
  context.setLineDash(DASHES);
  context.globalAlpha = 0.7;
  for (const { y } of drawn) {
    context.beginPath();
    context.moveTo(plot.x, y);
    context.lineTo(plot.x + plot.width, y);
    context.stroke();
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
  context.font = `11px ${style.fontFamily}`;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.lineJoin = 'round';
  context.lineWidth = HALO_PX;
  context.strokeStyle = themeColour(style, 'surface');
  context.fillStyle = ink;
  const places = placeTexts(
    drawn.map(({ y }) => y),
    plot.y,
  );
  for (const [index, y] of places.entries()) {
    const { text } = drawn[index]!;
    context.strokeText(text, plot.x + TEXT_GAP_PX, y);
    context.fillText(text, plot.x + TEXT_GAP_PX, y);
  }
  context.textAlign = 'start';
}
