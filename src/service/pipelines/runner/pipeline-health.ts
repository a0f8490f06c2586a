import { createRollingCounter } from '../../platform/rolling-counter.ts';

/** The window for rejections, and the time without problems after which a pipeline is running again, in seconds. */
const WINDOW_S = 300;
const CLEAN_S = 60;
const RATE_S = 10;
/** The share of rejected values that makes a pipeline degraded. */
const REJECTED_SHARE = 0.01;
const MISSED_INTERVALS = 3;

type HealthState = { state: 'running'; reason: null } | { state: 'degraded' | 'failed'; reason: string };

type Fault = { readonly detail: string; readonly isFatal: boolean };

export type Health = {
  count(received: number, rejected: number): void;
  /** Records a successful poll. */
  polled(): void;
  /** Records a failure that may be over already. */
  recordFailure(detail: string): void;
  /** Sets the fault of the source, until it is replaced; undefined: none. */
  report(fault: Fault | undefined): void;
  /** Values per second over the last 10 s. */
  perSecond(): number;
  /** `delivery`: the fault of the destination. */
  evaluate(delivery?: Fault): HealthState;
};

/**
 * Determines the state of a pipeline. Degraded: at least 1 % of the values of the last 5 minutes were rejected, a
 * polled source missed 3 intervals, or there is a temporary fault; until 60 s have passed without any of these. Failed:
 * as long as a fatal fault lasts. `intervalMs`: the interval of a polled source. `now`: a monotonic clock, in ms.
 */
export const createHealth = ({
  intervalMs,
  now,
}: {
  intervalMs: number | undefined;
  now: () => number;
}): Health => {
  const counts = {
    received: createRollingCounter({ slotMs: 1_000, slots: WINDOW_S }),
    rejected: createRollingCounter({ slotMs: 1_000, slots: WINDOW_S }),
  };
  let polledAt = now();
  let fault: Fault | undefined;
  /** The latest failure since the last successful poll. */
  let lastFailure: string | undefined;
  let lastFault = { at: Number.NEGATIVE_INFINITY, reason: '' };

  const sum = (seconds: number) => ({
    received: counts.received.sum(now(), seconds),
    rejected: counts.rejected.sum(now(), seconds),
  });

  const isRejecting = ({ received, rejected }: { received: number; rejected: number }) =>
    rejected > 0 && rejected >= received * REJECTED_SHARE;

  const rejecting = (): string | undefined => {
    const total = sum(WINDOW_S);
    if (!isRejecting(total) || !isRejecting(sum(CLEAN_S))) return undefined;
    return `${total.rejected} of ${Math.max(total.received, total.rejected)} values of the last 5 minutes were rejected.`;
  };

  const missing = (): string | undefined => {
    if (intervalMs === undefined) return undefined;
    // Half an interval of tolerance, because a poll takes time.
    if (now() - polledAt <= (MISSED_INTERVALS + 0.5) * intervalMs) return undefined;
    const missed = Math.floor((now() - polledAt) / intervalMs);
    return `The last ${missed} polls returned nothing${lastFailure === undefined ? '.' : `: ${lastFailure}`}`;
  };

  return {
    count: (received, rejected) => {
      counts.received.count(received, now());
      counts.rejected.count(rejected, now());
    },
    polled: () => {
      polledAt = now();
      lastFailure = undefined;
    },
    recordFailure: (reason) => {
      lastFault = { at: now(), reason };
      lastFailure = reason;
    },
    report: (next) => {
      fault = next;
    },
    // Excludes the second in progress.
    perSecond: () => counts.received.sum(now(), RATE_S, 1) / RATE_S,
    evaluate: (delivery) => {
      const fatal = [fault, delivery].find((each) => each?.isFatal === true);
      if (fatal !== undefined) return { state: 'failed', reason: fatal.detail };
      const lasting = fault?.detail ?? delivery?.detail ?? missing();
      if (lasting !== undefined) lastFault = { at: now(), reason: lasting };
      if (now() - lastFault.at < CLEAN_S * 1_000) return { state: 'degraded', reason: lastFault.reason };
      const reason = rejecting();
      return reason === undefined ? { state: 'running', reason: null } : { state: 'degraded', reason };
    },
  };
};
