import type { Box } from './plot-geometry.ts';

/** Room around the plot for lines and dots at its edge. */
const MARGIN_PX = 2;

/** Lays the canvas over the plot at the screen's own density, and draws in the coordinates of the chart. */
export function paintCanvas(
  canvas: HTMLCanvasElement,
  plot: Box,
  draw: (context: CanvasRenderingContext2D, devicePx: number) => void,
): void {
  const context = canvas.getContext('2d');
  if (context === null || plot.width <= 0 || plot.height <= 0) return;
  const ratio = window.devicePixelRatio;
  const width = plot.width + 2 * MARGIN_PX;
  const height = plot.height + 2 * MARGIN_PX;
  const [deviceWidth, deviceHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== deviceWidth || canvas.height !== deviceHeight) {
    canvas.width = deviceWidth;
    canvas.height = deviceHeight;
  } else {
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, deviceWidth, deviceHeight);
  }
  const { style } = canvas;
  style.left = `${plot.x - MARGIN_PX}px`;
  style.top = `${plot.y - MARGIN_PX}px`;
  style.width = `${width}px`;
  style.height = `${height}px`;
  context.save();
  context.setTransform(ratio, 0, 0, ratio, (MARGIN_PX - plot.x) * ratio, (MARGIN_PX - plot.y) * ratio);
  context.beginPath();
  context.rect(plot.x - 1, plot.y - MARGIN_PX, plot.width + 2, plot.height + 2 * MARGIN_PX);
  context.clip();
  draw(context, 1 / ratio);
  context.restore();
}
