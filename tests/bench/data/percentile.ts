/** The value of a sorted list at a share from 0 to 1 of its length, such as 0.5 for the median. NaN without values. */
export const percentile = (values: Iterable<number>, share: number): number => {
  const sorted = Float64Array.from(values).toSorted();
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
};
