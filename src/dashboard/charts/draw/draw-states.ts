import { themeColour, type DrawContext } from './draw-context.ts';
import { toPixel } from '../axes/linear-scale.ts';
import type { StateRun } from '../live/live-states.ts';
import type { PlotGeometry } from './plot-geometry.ts';
import { shortenEnd } from './shorten-text.ts';
import { stateText } from '../series/series.ts';

export interface StateRow {
  label: string;
  runs: readonly StateRun[];
  /** A CSS colour, or `faint`. */
  colourOf: (value: boolean | string) => string;
}

/** The height of one series, in CSS pixels: its name and its bar. */
const STATE_ROW = { label: 18, bar: 22, gap: 8 } as const;
export const stateRowPx = STATE_ROW.label + STATE_ROW.bar + STATE_ROW.gap;

const FILL_ALPHA = 0.2;
const FAINT_ALPHA = 0.09;
const EDGE_PX = 2;
const TEXT_INSET_PX = 6;
const MIN_TEXT_PX = 22;
const MIN_LETTERS = 3;
/** Runs closer than this are drawn as one block. */
const MIN_RUN_PX = 1;

/** Draws each run as a translucent bar with an edge, and its text if it fits. */
export function drawStates(context: DrawContext, geometry: PlotGeometry, rows: readonly StateRow[]): void {
  const style = getComputedStyle(context.canvas);
  const ink = themeColour(style, 'ink');
  const muted = themeColour(style, 'muted');
  const font = style.fontFamily;
  const { plot } = geometry;
  context.textBaseline = 'middle';
  for (const [index, row] of rows.entries()) {
    const top = plot.y + index * stateRowPx;
    context.font = `12px ${font}`;
    context.fillStyle = muted;
    fillFittingText(context, row.label, plot.x, top + STATE_ROW.label / 2, plot.width);
    context.font = `11px ${font}`;
    drawRuns(context, geometry, row, top + STATE_ROW.label, { ink, muted });
  }
}

function drawRuns(
  context: DrawContext,
  { plot, x: scale }: PlotGeometry,
  row: StateRow,
  top: number,
  text: { ink: string; muted: string },
) {
  let drawnTo = -Infinity;
  for (const { from, to, value } of row.runs) {
    const left = Math.max(plot.x, toPixel(scale, from));
    const right = Math.min(plot.x + plot.width, toPixel(scale, to));
    if (right <= drawnTo) continue;
    const width = Math.max(MIN_RUN_PX, right - Math.max(left, drawnTo));
    const start = Math.max(left, drawnTo);
    drawnTo = start + width;
    const colour = row.colourOf(value);
    const isFaint = colour === 'faint';
    context.fillStyle = isFaint ? text.muted : colour;
    context.globalAlpha = isFaint ? FAINT_ALPHA : FILL_ALPHA;
    context.fillRect(start, top, width, STATE_ROW.bar);
    context.globalAlpha = isFaint ? 0.5 : 1;
    context.fillRect(start, top, Math.min(EDGE_PX, width), STATE_ROW.bar);
    context.globalAlpha = 1;
    if (width < MIN_TEXT_PX) continue;
    context.fillStyle = isFaint ? text.muted : text.ink;
    fillFittingText(
      context,
      stateText(value),
      start + TEXT_INSET_PX,
      top + STATE_ROW.bar / 2,
      width - 2 * TEXT_INSET_PX,
    );
  }
}

/** Truncated with an ellipsis; left out if too few letters fit. */
function fillFittingText(context: DrawContext, text: string, x: number, y: number, roomPx: number): void {
  const shown = shortenEnd(text, roomPx, MIN_LETTERS, (part) => context.measureText(part).width);
  if (shown !== '') context.fillText(shown, x, y);
}
