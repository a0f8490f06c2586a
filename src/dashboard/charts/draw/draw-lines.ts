import { toPixel } from '../axes/linear-scale.ts';
import { themeColour, type DrawContext } from './draw-context.ts';
import { yScaleOf, type AxisSide, type PlotGeometry } from './plot-geometry.ts';

export interface DrawnLine {
  value: number;
  text: string;
  side: AxisSide;
}

const DASHES = [6, 4];
const TEXT_GAP_PX = 4;
const LINE_HEIGHT_PX = 14;

/** Draws horizontal lines across the plot, each with its text at the right: above the line, below it at the top. */
export function drawLines(context: DrawContext, geometry: PlotGeometry, lines: readonly DrawnLine[]): void {
  if (lines.length === 0) return;
  const { plot } = geometry;
  const style = getComputedStyle(context.canvas);
  const ink = themeColour(style, 'ink');
  const right = plot.x + plot.width;
  context.lineWidth = 1;
  context.strokeStyle = ink;
  context.fillStyle = ink;
  context.font = `11px ${style.fontFamily}`;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  context.setLineDash(DASHES);
  for (const { value, text, side } of lines) {
    const y = toPixel(yScaleOf(geometry, side), value);
    context.globalAlpha = 0.7;
    context.beginPath();
    context.moveTo(plot.x, y);
    context.lineTo(right, y);
    context.stroke();
    context.globalAlpha = 1;
    const isAtTop = y - plot.y < LINE_HEIGHT_PX;
    context.fillText(text, right - TEXT_GAP_PX, y + (isAtTop ? 1 : -1) * (LINE_HEIGHT_PX / 2));
  }
  context.setLineDash([]);
  context.textAlign = 'start';
}
