/** Rows or values that go into one statement together: far from the limit of bound values in either dialect. */
export const VALUES_PER_QUERY = 500;
export const ROWS_PER_INSERT = 60;

/** A list in parts of at most `size`, in order. */
export function* slicesOf<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}
