import { toPixel } from '../axes/linear-scale.ts';
import type { TimeSpan } from '../series/time-span.ts';
import { yScaleOf, type Box, type PlotGeometry } from '../draw/plot-geometry.ts';
import type { PlotModel, PlotRow, RowReading } from '../draw/plot-model.ts';
import { seriesColour } from '../series/series-style.ts';
import type { StateColour } from '../series/state-colours.ts';
import type { TimeZone } from '../../ui/format/intl-formats.ts';
import { formatMoment, formatRange } from '../axes/format-moment.ts';

/** Elements that exist as long as the chart; only their positions and texts change. */
interface CursorParts {
  line: HTMLElement | null;
  box: HTMLElement | null;
  time: HTMLElement | null;
  values: (HTMLElement | null)[];
  ranges: (HTMLElement | null)[];
  dots: (HTMLElement | null)[];
  swatches: (HTMLElement | null)[];
}

const NO_VALUE = '–';
/** The largest distance of an isolated point from the pointer, in CSS pixels. */
const REACH_PX = 16;
const BOX_GAP_PX = 12;
const NARROW_PX = 480;

/** Updates the cursor's elements without React, since it moves with every frame. */
export class CursorMark {
  /** The text of the readout, for screen readers. */
  text = '';
  readonly #parts: CursorParts = {
    line: null,
    box: null,
    time: null,
    values: [],
    ranges: [],
    dots: [],
    swatches: [],
  };

  set(part: 'line' | 'box' | 'time', element: HTMLElement | null): void {
    this.#parts[part] = element;
  }

  setInRow(part: 'values' | 'ranges' | 'dots' | 'swatches', row: number, element: HTMLElement | null): void {
    this.#parts[part][row] = element;
  }

  render(
    geometry: PlotGeometry | undefined,
    rows: readonly PlotRow[],
    model: PlotModel,
    span: TimeSpan,
    zone: TimeZone,
    cursor: { timeMs: number; isOwn: boolean } | null,
  ): void {
    const parts = this.#parts;
    const { line, box, time } = parts;
    if (line === null || box === null || time === null) return;
    const isHidden = cursor === null || geometry === undefined;
    setHidden(line, isHidden);
    setHidden(box, isHidden);
    if (isHidden) {
      for (const dot of parts.dots) if (dot !== null) setHidden(dot, true);
      return;
    }

    const { plot } = geometry;
    const readings = readingsTogether(model.read(cursor.timeMs, REACH_PX / geometry.x.factor), cursor.timeMs);
    const x = toPixel(geometry.x, cursor.timeMs);
    line.style.top = `${plot.y}px`;
    line.style.height = `${plot.height}px`;
    line.style.transform = `translateX(${Math.round(x)}px)`;

    const words = readoutTime(readings, cursor.timeMs, span, zone);
    // Only the chart under the pointer shows the time; the others show the line.
    setHidden(time, !cursor.isOwn);
    setText(time, words);
    this.text = words;
    for (const [index, row] of rows.entries()) {
      const reading = readings[index];
      const value = parts.values[index];
      const dot = parts.dots[index];
      const range = parts.ranges[index];
      const swatch = parts.swatches[index];
      if (swatch) setColour(swatch, reading?.colour);
      if (value) setText(value, reading?.text ?? NO_VALUE);
      if (range) setText(range, reading?.range ?? '');
      if (reading !== undefined) this.text += `, ${row.label} ${reading.text} ${reading.range}`.trimEnd();
      if (dot) placeDot(dot, geometry, reading?.timeMs, reading?.mark);
    }

    box.style.top = `${plot.y + 4}px`;
    box.style.transform = boxPlace(x, plot);
  }
}

/**
 * Places the box beside the line, anchored at the near side, so that its width is not measured; on a narrow plot at the
 * far edge.
 */
function boxPlace(x: number, plot: Box): string {
  const isRightHalf = x > plot.x + plot.width / 2;
  const edge = isRightHalf ? x - BOX_GAP_PX : x + BOX_GAP_PX;
  if (plot.width >= NARROW_PX) return isRightHalf ? endingAt(edge) : `translateX(${Math.round(edge)}px)`;
  return isRightHalf ? `translateX(${plot.x}px)` : endingAt(plot.x + plot.width);
}

const endingAt = (x: number) => `translateX(calc(${Math.round(x)}px - 100%))`;

function placeDot(
  dot: HTMLElement,
  geometry: PlotGeometry,
  timeMs: number | undefined,
  mark: { value: number; side: 'left' | 'right' } | undefined,
): void {
  const isHidden = timeMs === undefined || mark === undefined;
  setHidden(dot, isHidden);
  if (isHidden) return;
  const y = toPixel(yScaleOf(geometry, mark.side), mark.value);
  dot.style.transform = `translate(${toPixel(geometry.x, timeMs)}px, ${y}px)`;
}

function setColour(swatch: HTMLElement, colour: StateColour | undefined): void {
  const value = colour === undefined ? '' : colour === 'faint' ? 'var(--color-faint)' : seriesColour(colour);
  if (swatch.style.getPropertyValue('--swatch') !== value) swatch.style.setProperty('--swatch', value);
}

function setHidden(element: HTMLElement, isHidden: boolean): void {
  if (element.hidden !== isHidden) element.hidden = isHidden;
}

/** Changes the text itself where there is one: another node would make the browser compute the styles of its element. */
function setText(element: HTMLElement, text: string): void {
  const { firstChild } = element;
  if (!(firstChild instanceof Text) || text === '') {
    if (element.textContent !== text) element.textContent = text;
  } else if (firstChild.data !== text) firstChild.data = text;
}

/** Without the buckets that lie outside the interval that the readout names. */
export function readingsTogether(
  readings: readonly (RowReading | undefined)[],
  cursorMs: number,
): readonly (RowReading | undefined)[] {
  const nearest = nearestReading(readings, cursorMs);
  if (nearest === undefined || !isInterval(nearest)) return readings;
  const endMs = nearest.startMs + nearest.bucketMs;
  return readings.map((reading) => {
    if (reading === undefined || reading.bucketMs === 0) return reading;
    return reading.startMs < endMs && reading.startMs + reading.bucketMs > nearest.startMs
      ? reading
      : undefined;
  });
}

/** Shorter buckets are named by their middle. */
const isInterval = ({ bucketMs }: RowReading) => bucketMs >= 1_000;

/** Fractions of a second are shown below this span. */
const FRACTIONS_BELOW_MS = 600_000;

/** The time at the top of the readout: of the nearest point, a range for a bucket, else of the cursor. */
export function readoutTime(
  readings: readonly (RowReading | undefined)[],
  cursorMs: number,
  span: TimeSpan,
  zone: TimeZone,
  locale?: string,
): string {
  const nearest = nearestReading(readings, cursorMs);
  if (nearest === undefined) {
    return formatMoment(cursorMs, Math.max(1_000, (span.toMs - span.fromMs) / 1_000), zone, locale);
  }
  if (isInterval(nearest)) {
    return formatRange(nearest.startMs, nearest.startMs + nearest.bucketMs, zone, locale);
  }
  const hasFraction = nearest.timeMs % 1_000 !== 0 && span.toMs - span.fromMs < FRACTIONS_BELOW_MS;
  return formatMoment(nearest.timeMs, hasFraction ? 1 : 1_000, zone, locale);
}

function nearestReading(
  readings: readonly (RowReading | undefined)[],
  cursorMs: number,
): RowReading | undefined {
  let nearest: RowReading | undefined;
  for (const reading of readings) {
    if (reading === undefined) continue;
    if (nearest === undefined || Math.abs(reading.timeMs - cursorMs) < Math.abs(nearest.timeMs - cursorMs))
      nearest = reading;
  }
  return nearest;
}
