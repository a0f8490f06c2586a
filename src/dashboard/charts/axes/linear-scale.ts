/** pixel = origin + (value - base) × factor. `base` is near the values, so that epoch times lose no digits. */
export interface LinearScale {
  base: number;
  origin: number;
  factor: number;
}

/** The coefficients of a linear scale function, from two of its values. */
export function linearScale(
  scale: (value: number) => number | undefined,
  a: number,
  b: number,
): LinearScale | undefined {
  const atA = scale(a);
  const atB = scale(b);
  if (atA === undefined || atB === undefined || a === b) return undefined;
  return { base: a, origin: atA, factor: (atB - atA) / (b - a) };
}

export const toPixel = ({ base, origin, factor }: LinearScale, value: number) =>
  origin + (value - base) * factor;
export const toValue = ({ base, origin, factor }: LinearScale, pixel: number) =>
  base + (pixel - origin) / factor;
