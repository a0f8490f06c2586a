/** 64-bit integers that are safe in JavaScript, for a range without an end. */
export const clampTime = (ms: number): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, Math.ceil(ms)));
