import { useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { cancelDraw, requestDraw } from './draw-scheduler.ts';
import type { LiveSource } from '../live/live-window.ts';
import { paintCanvas } from './paint-canvas.ts';
import { usePlotGeometry } from './plot-frame.tsx';
import { standsAt } from './plot-geometry.ts';
import type { PlotHandle } from './plot-handle.ts';
import type { PlotModel } from './plot-model.ts';
import type { PlotView, ViewStore } from './plot-view.ts';
import { seriesColour } from '../series/series-colours.ts';
import type { ColourSlot } from '../series/series.ts';
import { onThemeChange } from './theme-change.ts';
import { useView } from './use-view.ts';

interface CanvasLayerProps {
  /** Where the canvas goes: over the grid, under what follows the pointer. */
  host: HTMLElement;
  modelOf: (view: PlotView) => PlotModel;
  store: ViewStore;
  /** Whose samples are drawn as they come. */
  live: LiveSource | undefined;
  isSeen: boolean;
  handle: PlotHandle;
}

/** The series, as one canvas over the plot area. A child of the chart, so that it reads the very scales of the axes. */
export function CanvasLayer({ host, modelOf, store, live, isSeen, handle }: CanvasLayerProps) {
  const view = useView(store, isSeen, (all) => all);
  const model = modelOf(view);
  const geometry = usePlotGeometry(view);
  const canvasRef = useRef<HTMLCanvasElement>(null);

  useLayoutEffect(() => {
    const canvas = canvasRef.current;
    if (canvas === null || geometry === undefined || !isSeen) return undefined;
    const colourOf = (slot: ColourSlot) => {
      const known = handle.colours.get(slot) ?? resolveColour(canvas, seriesColour(slot));
      handle.colours.set(slot, known);
      return known;
    };
    const draw = () => {
      paintCanvas(canvas, geometry.plot, (context, devicePx) =>
        model.draw(context, geometry, colourOf, devicePx),
      );
      handle.drawn(geometry);
    };
    const redraw = () => {
      handle.colours.clear();
      requestDraw(draw);
    };
    // At once, so that lines move in the same frame as the axes; while these are still on their way, wait for them.
    if (standsAt(geometry, view)) draw();
    else requestDraw(draw);
    const stopLive = live?.subscribe(() => requestDraw(draw));
    const stopTheme = onThemeChange(redraw);
    // Fires when the window moves to a screen of another density, or is zoomed.
    const density = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    density.addEventListener('change', redraw);
    return () => {
      cancelDraw(draw);
      stopLive?.();
      stopTheme();
      density.removeEventListener('change', redraw);
    };
  }, [geometry, model, view, live, isSeen, handle]);

  return createPortal(<canvas ref={canvasRef} className="pointer-events-none absolute" />, host);
}

/** A canvas takes no `var()`: the browser is asked what the colour comes to. */
function resolveColour(element: HTMLElement, colour: string): string {
  element.style.color = colour;
  return getComputedStyle(element).color;
}
