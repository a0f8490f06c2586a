/** The first index in [from, to) whose value is ≥ `wanted`; `to` if there is none. The column ascends. */
export function lowerBound(column: ArrayLike<number>, wanted: number, from: number, to: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index in [from, to) whose value is nearest to `wanted` (the earlier of two); -1 for an empty range. */
export function nearestIndex(column: ArrayLike<number>, wanted: number, from: number, to: number): number {
  if (to <= from) return -1;
  const after = lowerBound(column, wanted, from, to);
  if (after === from) return from;
  if (after === to) return to - 1;
  return wanted - column[after - 1]! <= column[after]! - wanted ? after - 1 : after;
}
