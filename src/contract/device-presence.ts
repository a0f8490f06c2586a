const LEAST_WINDOW_MS = 60_000;
/** For devices without an expected or learned interval. */
const UNKNOWN_WINDOW_MS = 300_000;

/** The intervals that determine the state of a device, in seconds. */
export type ReportingInterval = { expectedInterval: number | null; learnedInterval: number | null };

/**
 * How long a device counts as online after a message, in ms. A learned interval can only widen the window, and only if
 * no interval is set, so that bursts do not make a device late.
 */
export const onlineWindowMs = ({ expectedInterval, learnedInterval }: ReportingInterval): number =>
  expectedInterval === null
    ? Math.max(3_000 * (learnedInterval ?? 0), UNKNOWN_WINDOW_MS)
    : Math.max(3_000 * expectedInterval, LEAST_WINDOW_MS);
