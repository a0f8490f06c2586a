/** The first wait before a retry, and the longest. */
export type Backoff = { firstMs: number; longestMs: number };

/**
 * The wait before a retry after so many failures in a row: it doubles up to `longestMs`. Up to half of it is left out
 * at random, so that callers that failed together retry at different times. `random` is 0 to 1.
 */
export const backoffMs = (
  failures: number,
  { firstMs, longestMs }: Backoff,
  random = Math.random(),
): number => Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (0.5 + random / 2);
