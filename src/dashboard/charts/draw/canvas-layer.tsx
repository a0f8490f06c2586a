import { useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { cancelDraw, requestDraw } from './draw-scheduler.ts';
import type { DrawContext } from './draw-context.ts';
import { moveTimeAxis, usePlotScales } from './plot-frame.tsx';
import { pageHighlight } from './highlight.ts';
import { placeView, type Box, type PlotHandle, type PlotPlace } from './plot-geometry.ts';
import type { Plot, PlotModel } from './plot-model.ts';
import { seriesColour } from '../series/series-style.ts';
import type { ColourSlot } from '../series/series.ts';

interface CanvasLayerProps {
  /** The width of the chart, in CSS pixels: the canvas reaches to its right edge. */
  width: number;
  /** The parent of the canvas: over the grid, under the cursor. */
  host: HTMLElement;
  plot: Plot;
  isSeen: boolean;
  handle: PlotHandle;
}

interface Placed extends PlotPlace {
  model: PlotModel;
}

/** The canvas with the series. A child of the chart, so that it reads the scales of the axes. */
export function CanvasLayer({ width, host, plot, isSeen, handle }: CanvasLayerProps) {
  const { modelOf, store, live } = plot;
  const scales = usePlotScales();
  const canvasRef = useRef<HTMLCanvasElement>(null);

  useLayoutEffect(() => {
    const canvas = canvasRef.current;
    if (canvas === null || scales === undefined) return undefined;
    const colourOf = (slot: ColourSlot) => {
      const known = handle.colours.get(slot) ?? resolveColour(canvas, seriesColour(slot));
      handle.colours.set(slot, known);
      return known;
    };
    const drawOn = (context: DrawContext, { geometry, model }: Placed, devicePx: number) => {
      drawClipped(context, geometry.plot, () => model.draw(context, geometry, colourOf, devicePx));
      model.drawOutside?.(context, geometry, colourOf);
    };
    const place = (): Placed | undefined => {
      const view = store.get();
      const placed = placeView(scales, view);
      if (placed === undefined) return undefined;
      // In charts that are not visible too: pictures show them.
      moveTimeAxis(host.parentElement ?? host, placed.shiftPx);
      return { ...placed, model: modelOf(view) };
    };
    const placed = place();
    drawings.set(canvas, (context) => {
      const now = place();
      if (now !== undefined) drawOn(context, now, 1 / window.devicePixelRatio);
    });
    if (!isSeen) return undefined;
    const draw = () => {
      const now = place();
      if (now === undefined) return;
      const { geometry, model } = now;
      const { plot: box } = geometry;
      const canvasBox = model.drawOutside === undefined ? box : { ...box, width: width - box.x - MARGIN_PX };
      paintCanvas(canvas, canvasBox, (context, devicePx) => drawOn(context, now, devicePx));
      handle.drawn(geometry);
    };
    const redraw = () => {
      handle.colours.clear();
      requestDraw(draw);
    };
    // Draws immediately if the axes are laid out, so that lines move in the same frame; otherwise in the next frame.
    if (placed?.isLaidOut === true) draw();
    else requestDraw(draw);
    const stopView = store.subscribe(() => requestDraw(draw));
    const stopLive = live?.subscribe(() => requestDraw(draw));
    const stopTheme = onThemeChange(redraw);
    const stopHighlight = pageHighlight.subscribe(() => requestDraw(draw));
    // Fires when the window moves to a screen of another density, or is zoomed.
    const density = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    density.addEventListener('change', redraw);
    return () => {
      cancelDraw(draw);
      stopView();
      stopLive?.();
      stopTheme();
      stopHighlight();
      density.removeEventListener('change', redraw);
    };
  }, [scales, modelOf, store, live, isSeen, handle, host, width]);

  // Without a size until it is placed: otherwise placing it would be a layout shift.
  return createPortal(
    <canvas ref={canvasRef} className="keeps-colour pointer-events-none absolute size-0" />,
    host,
  );
}

const drawings = new WeakMap<HTMLCanvasElement, (context: DrawContext) => void>();

/** Repeats what a chart's canvas shows, in CSS pixels from the corner of the chart. */
export const drawingOf = (canvas: HTMLCanvasElement): ((context: DrawContext) => void) | undefined =>
  drawings.get(canvas);

/** A canvas does not resolve `var()`, so the browser computes the colour. */
function resolveColour(element: HTMLElement, colour: string): string {
  element.style.color = colour;
  return getComputedStyle(element).color;
}

/** Calls back when colours may have changed: with the theme of the page or of the system. */
function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, {
    attributes: true,
    attributeFilter: ['class', 'data-theme', 'style'],
  });
  const scheme = window.matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', listener);
  return () => {
    observer.disconnect();
    scheme.removeEventListener('change', listener);
  };
}

/** Room around the plot for lines and dots at its edge. */
const MARGIN_PX = 2;

const withMargin = ({ x, y, width, height }: Box): Box => ({
  x: x - MARGIN_PX,
  y: y - MARGIN_PX,
  width: width + 2 * MARGIN_PX,
  height: height + 2 * MARGIN_PX,
});

/** Places the canvas over the plot at the screen's density, and draws in the chart's coordinates. */
function paintCanvas(
  canvas: HTMLCanvasElement,
  plot: Box,
  draw: (context: CanvasRenderingContext2D, devicePx: number) => void,
): void {
  const context = canvas.getContext('2d');
  if (context === null || plot.width <= 0 || plot.height <= 0) return;
  const ratio = window.devicePixelRatio;
  const { x, y, width, height } = withMargin(plot);
  const [deviceWidth, deviceHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== deviceWidth || canvas.height !== deviceHeight) {
    canvas.width = deviceWidth;
    canvas.height = deviceHeight;
  } else {
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, deviceWidth, deviceHeight);
  }
  const { style } = canvas;
  style.left = `${x}px`;
  style.top = `${y}px`;
  style.width = `${width}px`;
  style.height = `${height}px`;
  context.save();
  context.setTransform(ratio, 0, 0, ratio, -x * ratio, -y * ratio);
  draw(context, 1 / ratio);
  context.restore();
}

/** Draws within the plot and its margin. */
function drawClipped(context: DrawContext, plot: Box, draw: () => void): void {
  context.save();
  context.beginPath();
  const { x, y, width, height } = withMargin(plot);
  context.rect(x, y, width, height);
  context.clip();
  draw();
  context.restore();
}
