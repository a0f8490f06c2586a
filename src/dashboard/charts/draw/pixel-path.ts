import { toPixel, type LinearScale } from '../axes/linear-scale.ts';
import { isGapBefore } from '../series/gaps.ts';
import type { Part } from '../tracks/track.ts';

/** A growing list of numbers whose memory is reused. */
class NumberList {
  values = new Float64Array(1_024);
  length = 0;

  add(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Float64Array(this.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length] = value;
    this.length += 1;
  }
}

/** The lines and isolated points of one series in CSS pixels. NaN in `x` ends a line. */
export class PixelPath {
  readonly x = new NumberList();
  readonly y = new NumberList();
  /** Points without a neighbour on either side. */
  readonly dotX = new NumberList();
  readonly dotY = new NumberList();

  clear(): void {
    for (const list of [this.x, this.y, this.dotX, this.dotY]) list.length = 0;
  }
}

/**
 * Traces a line through all points of `parts`, interrupted at gaps and missing values. If several points fall into a
 * column of `columnPx`, the column keeps its first, lowest, highest and last (M4: Jugel et al., VLDB 2014), which draws
 * the same pixels as all of them.
 */
export function traceLine(
  parts: readonly Part[],
  xScale: LinearScale,
  yScale: LinearScale,
  columnPx: number,
  path: PixelPath,
) {
  path.clear();
  const pen = new Pen(path, columnPx);
  for (const [index, part] of parts.entries()) {
    const { ts, middle, shiftMs } = part;
    for (let i = part.from; i < part.to; i += 1) {
      const value = middle[i]!;
      if (Number.isNaN(value)) {
        pen.lift();
        continue;
      }
      if (isGapBefore(parts, index, i)) pen.lift();
      pen.to(toPixel(xScale, ts[i]! + shiftMs), toPixel(yScale, value));
    }
  }
  pen.lift();
}

class Pen {
  readonly #path: PixelPath;
  readonly #columnPx: number;
  #column = Number.NaN;
  /** The points of the run so far, and of the current column. */
  #run = 0;
  #held = 0;
  #firstX = 0;
  #firstY = 0;
  #lastX = 0;
  #lastY = 0;
  #minX = 0;
  #minY = 0;
  #maxX = 0;
  #maxY = 0;

  constructor(path: PixelPath, columnPx: number) {
    this.#path = path;
    this.#columnPx = columnPx;
  }

  to(x: number, y: number): void {
    const column = Math.floor(x / this.#columnPx);
    if (column !== this.#column || this.#held === 0) {
      this.#flush();
      this.#column = column;
      this.#firstX = this.#minX = this.#maxX = x;
      this.#firstY = this.#minY = this.#maxY = y;
    } else if (y < this.#minY) {
      this.#minX = x;
      this.#minY = y;
    } else if (y > this.#maxY) {
      this.#maxX = x;
      this.#maxY = y;
    }
    this.#lastX = x;
    this.#lastY = y;
    this.#held += 1;
    this.#run += 1;
  }

  lift(): void {
    // A run that is smaller than a pixel would be a line of no length.
    if (this.#held === this.#run && this.#maxY - this.#minY < 1) {
      if (this.#run > 0) this.#path.dotX.add(this.#firstX);
      if (this.#run > 0) this.#path.dotY.add(this.#firstY);
      this.#held = 0;
    } else {
      this.#flush();
      this.#path.x.add(Number.NaN);
      this.#path.y.add(Number.NaN);
    }
    this.#run = 0;
  }

  #flush(): void {
    if (this.#held === 0) return;
    this.#add(this.#firstX, this.#firstY);
    if (this.#held > 1) {
      if (this.#held > 2) {
        const isMinFirst = this.#minX <= this.#maxX;
        if (isMinFirst) this.#addInner(this.#minX, this.#minY);
        this.#addInner(this.#maxX, this.#maxY);
        if (!isMinFirst) this.#addInner(this.#minX, this.#minY);
      }
      this.#add(this.#lastX, this.#lastY);
    }
    this.#held = 0;
  }

  #addInner(x: number, y: number): void {
    const isFirst = x === this.#firstX && y === this.#firstY;
    const isLast = x === this.#lastX && y === this.#lastY;
    if (!isFirst && !isLast) this.#add(x, y);
  }

  #add(x: number, y: number): void {
    this.#path.x.add(x);
    this.#path.y.add(y);
  }
}

/** The min–max band: top and bottom for each x, in pixels. NaN in `x` ends a segment. */
export class PixelBand {
  readonly x = new NumberList();
  readonly top = new NumberList();
  readonly bottom = new NumberList();

  clear(): void {
    for (const list of [this.x, this.top, this.bottom]) list.length = 0;
  }

  add(x: number, top: number, bottom: number): void {
    this.x.add(x);
    this.top.add(top);
    this.bottom.add(bottom);
  }
}

/**
 * Traces the band of all bucketed parts, open at gaps; a column keeps its highest and lowest. A bucket without
 * neighbours becomes a bar of its own width, at least `columnPx`.
 */
export function traceBand(
  parts: readonly Part[],
  xScale: LinearScale,
  yScale: LinearScale,
  columnPx: number,
  band: PixelBand,
) {
  band.clear();
  let runStart = 0;
  let bucketPx = columnPx;

  const close = () => {
    const length = band.x.length - runStart;
    if (length === 0) return;
    if (length === 1) {
      const x = band.x.values[runStart]!;
      const half = Math.max(columnPx, bucketPx) / 2;
      band.x.values[runStart] = x - half;
      band.add(x + half, band.top.values[runStart]!, band.bottom.values[runStart]!);
    }
    band.add(Number.NaN, Number.NaN, Number.NaN);
    runStart = band.x.length;
  };

  for (const [index, part] of parts.entries()) {
    const { ts, low, high, shiftMs, bucketMs } = part;
    if (low === null || high === null) continue;
    bucketPx = bucketMs * xScale.factor;
    for (let i = part.from; i < part.to; i += 1) {
      const timeMs = ts[i]! + shiftMs;
      const top = toPixel(yScale, high[i]!);
      const bottom = toPixel(yScale, low[i]!);
      if (Number.isNaN(top) || Number.isNaN(bottom) || isGapBefore(parts, index, i)) close();
      if (Number.isNaN(top) || Number.isNaN(bottom)) continue;
      const x = toPixel(xScale, timeMs);
      const last = band.x.length - 1;
      if (last >= runStart && Math.floor(band.x.values[last]! / columnPx) === Math.floor(x / columnPx)) {
        band.top.values[last] = Math.min(band.top.values[last]!, top);
        band.bottom.values[last] = Math.max(band.bottom.values[last]!, bottom);
      } else {
        band.add(x, top, bottom);
      }
    }
  }
  close();
}
