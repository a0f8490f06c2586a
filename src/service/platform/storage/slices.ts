/** Number of values or rows per statement, well below the limits of bound values in both dialects. */
export const VALUES_PER_QUERY = 500;
export const ROWS_PER_INSERT = 60;

/** Splits a list into parts of at most `size`, in order. */
export function* slicesOf<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}
