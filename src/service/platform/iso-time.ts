/** Epoch milliseconds as responses and messages show them, in UTC. */
export const toIsoTime = (ms: number): string => new Date(ms).toISOString();

/** Tables and counters store “never” as null or 0. */
export const toIsoTimeOrNull = (ms: number | null): string | null =>
  ms === null || ms === 0 ? null : toIsoTime(ms);
