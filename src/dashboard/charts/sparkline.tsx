import { columnsOf } from './series/columns.ts';
import { extentOf, unionOf, wholePart } from './tracks/track.ts';
import type { LinearScale } from './axes/linear-scale.ts';
import { PixelPath, traceLine } from './draw/pixel-path.ts';
import type { BucketColumns, RawColumns } from './series/series.ts';

interface SparklineProps {
  columns: RawColumns | BucketColumns;
  /** The accessible name: “Temperature, 24 h: 18 to 23 °C, last 21 °C”. */
  label: string;
  /** CSS pixels. */
  width?: number;
  height?: number;
  /** Epoch ms; by default from the first point to the last. */
  fromMs?: number;
  toMs?: number;
  /** A value that the line's scale includes: with 0, a steady rate looks steady. */
  includes?: number;
}

const INSET_PX = 1.5;
const path = new PixelPath();

/** A line without axes, in the colour of the surrounding text. Fast enough for every row of a table. */
export function Sparkline(props: SparklineProps) {
  const { columns, label, width = 96, height = 24, fromMs, toMs, includes } = props;
  const { line, dots } = sparkPath(columns, width, height, fromMs, toMs, includes);
  return (
    <svg
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- drawn here, in the colour of the text
      role="img"
      aria-label={label}
      className="block"
    >
      <path d={line} fill="none" stroke="currentColor" strokeWidth={1.25} strokeLinejoin="round" />
      <path d={dots} fill="none" stroke="currentColor" strokeWidth={2.5} strokeLinecap="round" />
    </svg>
  );
}

function sparkPath(
  columns: RawColumns | BucketColumns,
  width: number,
  height: number,
  fromMs: number | undefined,
  toMs: number | undefined,
  includes: number | undefined,
): { line: string; dots: string } {
  const known = columnsOf({ columns });
  const parts = [{ ...wholePart(known, 0), low: null, high: null }];
  const first = fromMs ?? known.ts[0] ?? 0;
  const last = toMs ?? known.ts.at(-1) ?? 0;
  const extents = [extentOf(parts), includes === undefined ? undefined : ([includes, includes] as const)];
  const [min, max] = unionOf(extents) ?? [0, 0];
  const x: LinearScale = {
    base: first,
    origin: INSET_PX,
    factor: (width - 2 * INSET_PX) / Math.max(1, last - first),
  };
  const isFlat = min === max;
  const y: LinearScale = {
    base: min,
    origin: isFlat ? height / 2 : height - INSET_PX,
    factor: isFlat ? 0 : -(height - 2 * INSET_PX) / (max - min),
  };
  traceLine(parts, x, y, 0.5, path);
  return { line: lineOf(path), dots: dotsOf(path) };
}

const short = (pixel: number) => Math.round(pixel * 100) / 100;

function lineOf({ x, y }: PixelPath): string {
  let text = '';
  let command = 'M';
  for (let i = 0; i < x.length; i += 1) {
    const px = x.values[i]!;
    if (Number.isNaN(px)) {
      command = 'M';
      continue;
    }
    text += `${command}${short(px)} ${short(y.values[i]!)}`;
    command = 'L';
  }
  return text;
}

/** A line of no length with round ends. */
function dotsOf({ dotX, dotY }: PixelPath): string {
  let text = '';
  for (let i = 0; i < dotX.length; i += 1) {
    text += `M${short(dotX.values[i]!)} ${short(dotY.values[i]!)}h0`;
  }
  return text;
}
