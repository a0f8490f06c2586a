import { themeColour, type DrawContext } from './draw-context.ts';
import { LABEL_HEIGHT_PX, placeLabels, type EndLabel } from './end-labels.ts';
import type { PlotGeometry } from './plot-geometry.ts';
import { shortenMiddle } from './shorten-text.ts';

export interface DrawnLabel extends EndLabel {
  colour: string;
  dashes: readonly number[];
  isFaded: boolean;
}

/** From the end of a line to its label. */
const LEADER_PX = 18;
const GAP_PX = 4;
const FADED_ALPHA = 0.35;

/** Texts by room and full text: measuring takes longer than drawing. */
const shortened = new Map<string, string>();
const MAX_SHORTENED = 2_000;

const fitting = (context: DrawContext, text: string, roomPx: number): string => {
  const key = `${roomPx} ${context.font} ${text}`;
  const known = shortened.get(key);
  if (known !== undefined) return known;
  if (shortened.size >= MAX_SHORTENED) shortened.clear();
  const made = shortenMiddle(text, roomPx, (part) => context.measureText(part).width);
  shortened.set(key, made);
  return made;
};

/**
 * Names the lines at their right end, each with a piece of its line that leads to its name, and says how many names have
 * no room.
 */
export function drawLabels(
  context: DrawContext,
  { plot }: PlotGeometry,
  labels: readonly DrawnLabel[],
  { fromX, roomPx }: { fromX: number; roomPx: number },
): void {
  const style = getComputedStyle(context.canvas);
  context.font = `11px ${style.fontFamily}`;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.lineWidth = 1.5;
  const ink = themeColour(style, 'muted');
  const textX = fromX + LEADER_PX + GAP_PX;
  const bottom = plot.y + plot.height;
  const allPlaces = placeLabels(labels, plot.y, bottom);
  const hasRoom = allPlaces.size === labels.length;
  const places = hasRoom ? allPlaces : placeLabels(labels, plot.y, bottom - LABEL_HEIGHT_PX);
  if (!hasRoom) {
    context.fillStyle = ink;
    context.fillText(`and ${labels.length - places.size} more`, textX, bottom - LABEL_HEIGHT_PX / 2);
  }
  for (const [index, y] of places) {
    const { text, y: endY, colour, dashes, isFaded } = labels[index]!;
    context.globalAlpha = isFaded ? FADED_ALPHA : 1;
    context.strokeStyle = colour;
    context.setLineDash([...dashes]);
    context.beginPath();
    context.moveTo(fromX + 2, endY);
    context.lineTo(fromX + LEADER_PX, y);
    context.stroke();
    context.fillStyle = ink;
    const textRoomPx = roomPx - LEADER_PX - 2 * GAP_PX;
    context.fillText(fitting(context, text, textRoomPx), textX, y);
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
}
