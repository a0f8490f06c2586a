const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The waits after each failed attempt: the schedule recommended by Standard Webhooks. */
const RETRY_AFTER_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** Spreads retries of deliveries that failed together. */
const JITTER = 0.1;

/** The wait after this number of failed attempts; undefined after the last one. `random` is 0 to 1. */
export const retryAfterMs = (attempts: number, random = Math.random()): number | undefined => {
  const afterMs = RETRY_AFTER_MS[attempts - 1];
  return afterMs === undefined ? undefined : Math.round(afterMs * (1 + JITTER * random));
};
