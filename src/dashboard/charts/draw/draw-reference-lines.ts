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
/** Keeps texts readable over series, without hiding lines of full strength. */
const BACKGROUND_ALPHA = 0.8;
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
 * Draws horizontal lines across the plot, each with its text at the right: above the line, below it at the top, and
 * away from the texts of other lines, on a background.
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
  const right = plot.x + plot.width;
  context.lineWidth = 1;
  context.strokeStyle = ink;
  context.font = `11px ${style.fontFamily}`;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  context.setLineDash(DASHES);
  const drawn = lines
    .map(({ value, text, side }) => ({ text, y: toPixel(yScaleOf(geometry, side), value) }))
    .toSorted((a, b) => b.y - a.y);
  const texts = placeTexts(
    drawn.map(({ y }) => y),
    plot.y,
  ).map((y, index) => ({ text: drawn[index]!.text, y }));
  // Before the lines, which no background may cover.
  context.globalAlpha = BACKGROUND_ALPHA;
  context.fillStyle = themeColour(style, 'surface');
  for (const { text, y } of texts) {
    const width = context.measureText(text).width + 2 * TEXT_GAP_PX;
    context.fillRect(right - width, y - LINE_HEIGHT_PX / 2, width, LINE_HEIGHT_PX);
  }
  context.globalAlpha = 0.7;
  for (const { y } of drawn) {
    context.beginPath();
    context.moveTo(plot.x, y);
    context.lineTo(right, y);
    context.stroke();
  }
  context.globalAlpha = 1;
  context.fillStyle = ink;
  for (const { text, y } of texts) context.fillText(text, right - TEXT_GAP_PX, y);
  context.setLineDash([]);
  context.textAlign = 'start';
}
