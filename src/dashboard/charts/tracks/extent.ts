import type { Part } from './track.ts';

/** Smallest and largest value on screen; undefined where there is none. */
export type Extent = readonly [min: number, max: number];

/** Includes the points next to the span, since lines run to them. */
export function extentOf(parts: readonly Part[]): Extent | undefined {
  let min = Infinity;
  let max = -Infinity;
  for (const part of parts) {
    const low = part.low ?? part.middle;
    const high = part.high ?? part.middle;
    for (let i = part.from; i < part.to; i += 1) {
      // NaN compares false both ways.
      if (low[i]! < min) min = low[i]!;
      if (high[i]! > max) max = high[i]!;
    }
  }
  return min <= max ? [min, max] : undefined;
}

export function unionOf(extents: readonly (Extent | undefined)[]): Extent | undefined {
  const known = extents.filter((extent) => extent !== undefined);
  if (known.length === 0) return undefined;
  return [Math.min(...known.map(([min]) => min)), Math.max(...known.map(([, max]) => max))];
}
