import type { AxisSide, PlotGeometry } from './plot-geometry.ts';
import type { ColourSlot } from '../series/series.ts';

export interface PlotRow {
  id: string;
  label: string;
  colour: ColourSlot;
}

/** What a row shows at the cursor. */
export interface RowReading {
  /** Where the point is drawn; of a bucket its middle. */
  timeMs: number;
  startMs: number;
  /** 0 for a single sample. */
  bucketMs: number;
  text: string;
  /** Of a bucket, its lowest and highest value. */
  range: string;
  /** Where a dot marks the point. */
  mark?: { value: number; side: AxisSide };
}

/** What a plot draws and describes. Created for each set of data; live samples are read while drawing. */
export interface PlotModel {
  draw: (
    context: CanvasRenderingContext2D,
    geometry: PlotGeometry,
    colourOf: (slot: ColourSlot) => string,
    devicePx: number,
  ) => void;
  /** For each row what is nearest to a time, within `reachMs` where there is a gap. */
  read: (timeMs: number, reachMs: number) => readonly (RowReading | undefined)[];
  /** The time of the point so many points further on. */
  step: (timeMs: number, count: number) => number;
  /** A summary for screen readers. */
  summary: () => string;
}
