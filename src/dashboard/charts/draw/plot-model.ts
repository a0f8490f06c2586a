import type { DrawContext } from './draw-context.ts';
import type { AxisSide, PlotGeometry } from './plot-geometry.ts';
import type { PlotView, ViewStore } from './plot-view.ts';
import type { LiveSource } from '../live/live-window.ts';
import type { StateColour } from '../series/state-colours.ts';
import type { ColourSlot, DashStyle } from '../series/series.ts';

export interface PlotRow {
  id: string;
  label: string;
  colour: ColourSlot;
  dash?: DashStyle;
  comparisonOf?: string;
}

/** What a row shows at the cursor. */
export interface RowReading {
  /** The position of the point; the middle of a bucket. */
  timeMs: number;
  startMs: number;
  /** 0 for a single sample. */
  bucketMs: number;
  text: string;
  /** The range of a bucket. */
  range: string;
  /** The colour of the value, if it is not that of its series. */
  colour?: StateColour;
  /** The position of the dot. */
  mark?: { value: number; side: AxisSide };
}

/** What a plot draws and describes. Created for each set of data; live samples are read while drawing. */
export interface PlotModel {
  draw: (
    context: DrawContext,
    geometry: PlotGeometry,
    colourOf: (slot: ColourSlot) => string,
    devicePx: number,
  ) => void;
  /** Draws beside the plot, at its right. */
  drawOutside?: (
    context: DrawContext,
    geometry: PlotGeometry,
    colourOf: (slot: ColourSlot) => string,
  ) => void;
  /** The nearest point of each row; inside a gap only within `reachMs`. */
  read: (timeMs: number, reachMs: number) => readonly (RowReading | undefined)[];
  /** The time of the point `count` points later. */
  step: (timeMs: number, count: number) => number;
  /** A summary for screen readers. */
  summary: () => string;
}

/** What the layers of a plot share: its view, its rows, and how a view is drawn. */
export interface Plot {
  store: ViewStore;
  rows: readonly PlotRow[];
  modelOf: (view: PlotView) => PlotModel;
  /** The source of live samples. */
  live: LiveSource | undefined;
}
