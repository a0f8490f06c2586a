import type { LiveSource } from './live/live-window.ts';
import type { TimeZone } from '../ui/format/intl-formats.ts';

/** The time axis of charts that stand below each other. */
export interface ChartTime {
  /** Epoch ms; in live mode, `live` defines the window. */
  fromMs: number;
  toMs: number;
  timeZone: TimeZone;
  /** Live mode: its samples are drawn after the columns of the series. */
  live?: LiveSource | undefined;
  /** A range was selected by dragging, or by `+`, `-` or Enter. */
  onZoom?: (fromMs: number, toMs: number) => void;
}
