import { createRejectionShare } from './rejection-share.ts';
import { createSampleRate, type SampleRate } from '../../platform/sample-rate.ts';
import { createStateHysteresis, type HealthFault, type HealthState } from './state-hysteresis.ts';
import type { DeliveryFault } from '../spool/delivery-queue.ts';
import type { ConnectionFault } from '../connections/keep-connected.ts';

const MISSED_INTERVALS = 3;
/** The rate of a pipeline is measured over a minute. */
const RATE_S = 60;

export type Health = {
  /** `reasons`: number of the rejected samples by reason. */
  count(received: number, rejected: number, reasons?: Readonly<Record<string, number>>): void;
  /** Records a successful poll. */
  polled(): void;
  pollFailed(detail: string): void;
  /** Records a failure to map or store messages, which may be over already. */
  recordFailure(detail: string): void;
  /** Sets the fault of the source, until it is replaced; undefined: none. */
  report(fault: ConnectionFault | undefined): void;
  readonly rate: SampleRate;
  /** `delivery`: the fault of the destination. */
  evaluate(delivery?: DeliveryFault): HealthState;
};

type Options = {
  /** The interval of a polled source. */
  intervalMs: number | undefined;
  /** A monotonic clock without the time in which the process did not run, in ms. */
  now: () => number;
  /** How long a state lasts at least. */
  holdMs: number;
  /** The state before the service was restarted. */
  before?: HealthState | undefined;
  /** The rate before the pipeline was changed, which continues. */
  rate?: SampleRate | undefined;
  /** Whether the pipeline ran before it was changed. */
  isChanged?: boolean;
};

/**
 * Determines the state of a pipeline. Degraded: too many samples were rejected in the last 5 minutes, a polled source
 * failed or missed 3 intervals, or there is a temporary fault. Failed: as long as a fatal fault lasts.
 */
export const createHealth = ({
  intervalMs,
  now,
  holdMs,
  before,
  rate = createSampleRate(now, RATE_S),
  isChanged = false,
}: Options): Health => {
  const samples = createRejectionShare({
    now,
    before: before?.reason?.code === 'rejections' ? before.reason : undefined,
    isChanged,
  });
  const settle = createStateHysteresis({ now, holdMs, before });
  const restored = intervalMs !== undefined && before?.reason?.code === 'source' ? before.reason : undefined;
  let answeredMs = now() - (restored?.lastedMs ?? 0);
  /** The failure of the last poll. */
  let pollFailure = restored?.detail;
  let sourceFault: (ConnectionFault & { sinceMs: number }) | undefined;
  let failure: { detail: string; sinceMs: number; seenMs: number } | undefined;
  let deliverySinceMs: number | undefined;
  let fullSinceMs: number | undefined;

  const faultOf = (
    fault: { detail: string; isFatal?: boolean } | undefined,
    code: HealthFault['code'],
    sinceMs: number,
    seenMs = now(),
  ): HealthFault[] =>
    fault === undefined
      ? []
      : [
          {
            state: fault.isFatal === true ? 'failed' : 'degraded',
            code,
            detail: fault.detail,
            sinceMs,
            seenMs,
          },
        ];

  const unanswered = (): { detail: string } | undefined => {
    if (pollFailure !== undefined) return { detail: pollFailure };
    // Half an interval of tolerance, because a poll takes time.
    if (intervalMs === undefined || now() - answeredMs <= (MISSED_INTERVALS + 0.5) * intervalMs)
      return undefined;
    return { detail: 'The source did not answer the last polls.' };
  };

  /** Worst first: a source without data before a destination whose samples wait on disk. */
  const faults = (delivery: DeliveryFault | undefined): HealthFault[] => {
    deliverySinceMs = delivery === undefined ? undefined : (deliverySinceMs ?? now());
    // A spool becomes full long after its destination has failed.
    fullSinceMs = delivery?.code === 'spool-full' ? (fullSinceMs ?? now()) : undefined;
    if (failure !== undefined && now() - failure.seenMs >= holdMs) failure = undefined;
    const rejecting = samples.rejecting();
    return [
      ...faultOf(sourceFault, 'source', sourceFault?.sinceMs ?? now()),
      ...faultOf(unanswered(), 'source', answeredMs),
      ...faultOf(failure, 'processing', failure?.sinceMs ?? now(), failure?.seenMs),
      ...faultOf(delivery, delivery?.code ?? 'destination', fullSinceMs ?? deliverySinceMs ?? now()),
      // The window of 5 minutes already delays the end.
      ...faultOf(rejecting, 'rejections', rejecting?.sinceMs ?? now(), Number.NEGATIVE_INFINITY),
    ];
  };

  return {
    count: (received, rejected, reasons = {}) => {
      samples.count(received, rejected, reasons);
      rate.count(received);
    },
    polled: () => {
      answeredMs = now();
      pollFailure = undefined;
    },
    pollFailed: (detail) => {
      pollFailure = detail;
    },
    recordFailure: (detail) => {
      failure = { detail, sinceMs: failure?.sinceMs ?? now(), seenMs: now() };
    },
    report: (fault) => {
      sourceFault = fault && { ...fault, sinceMs: sourceFault?.sinceMs ?? now() };
    },
    rate,
    evaluate: (delivery) => {
      const found = faults(delivery);
      return settle(found.find(({ state }) => state === 'failed') ?? found[0]);
    },
  };
};
