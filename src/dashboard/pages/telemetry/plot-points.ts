/** In CSS pixels: what the axes and the margin take of a chart's width. */
const AXES_PX = 64;
const STEP = 50;
const MIN_POINTS = 50;
const MAX_POINTS = 1_000;

/** Buckets for a chart of a width: one for each pixel, in steps, so that dragging the window wider does not ask anew. */
export const plotPoints = (widthPx: number): number => {
  if (widthPx === 0) return 0;
  const pixels = Math.floor((widthPx - AXES_PX) / STEP) * STEP;
  return Math.min(MAX_POINTS, Math.max(MIN_POINTS, pixels));
};
