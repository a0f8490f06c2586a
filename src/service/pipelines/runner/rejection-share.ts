import { reasonInWords } from '#contract/rejection-reason.ts';
import { createRollingCounter, type RollingCounter } from '../../platform/rolling-counter.ts';

const WINDOW_S = 300;
/** Two limits, because a pipeline at a single one would change its state all the time. */
const SHARE = { enters: 0.01, leaves: 0.002 };
const ENDS = ' The pipeline is degraded until less than 0.2% are rejected.';
/** How often the numbers in `detail` are updated, which is written to the database; sooner when they have doubled. */
const RECOUNT_MS = 15_000;

type Rejecting = {
  readonly sinceMs: number;
  readonly countedMs: number;
  readonly counted: number;
  readonly detail: string;
};

type Options = {
  now: () => number;
  /** It was rejecting before a restart, and still is until the samples of 5 minutes have been counted. */
  before?: { readonly detail: string; readonly lastedMs: number } | undefined;
  /** Whether the pipeline had samples before it was changed, which are not counted. */
  isChanged: boolean;
};

/** Counts the samples of a pipeline. It is rejecting from 1 % rejected samples in 5 minutes until less than 0.2 %. */
export const createRejectionShare = ({ now, before, isChanged }: Options) => {
  const received = createRollingCounter({ slotMs: 1_000, slots: WINDOW_S });
  const rejected = createRollingCounter({ slotMs: 1_000, slots: WINDOW_S });
  const byReason = new Map<string, RollingCounter>();
  const startedMs = now();
  let rejecting: Rejecting | undefined = before && {
    sinceMs: startedMs - before.lastedMs,
    countedMs: Number.NEGATIVE_INFINITY,
    counted: 0,
    detail: before.detail,
  };

  const mostCommonReason = (): string => {
    let most = { reason: '', samples: 0 };
    for (const [reason, counter] of byReason) {
      const samples = counter.sum(now(), WINDOW_S);
      if (samples === 0) byReason.delete(reason);
      else if (samples > most.samples) most = { reason, samples };
    }
    return most.samples === 0 ? '' : ` Most common reason: ${reasonInWords(most.reason)}.`;
  };

  const evaluate = (): Rejecting | undefined => {
    const bad = rejected.sum(now(), WINDOW_S);
    const all = Math.max(received.sum(now(), WINDOW_S), bad);
    if (bad === 0 || bad < all * (rejecting === undefined ? SHARE.enters : SHARE.leaves)) {
      const isCounted = before === undefined || now() - startedMs >= WINDOW_S * 1_000;
      return isCounted ? undefined : rejecting;
    }
    if (
      rejecting !== undefined &&
      now() - rejecting.countedMs < RECOUNT_MS &&
      bad + all < 2 * rejecting.counted
    )
      return rejecting;
    const since =
      isChanged && now() - startedMs < WINDOW_S * 1_000
        ? 'since the pipeline was changed'
        : 'in the last 5 minutes';
    const detail = `${bad.toLocaleString('en')} of ${all.toLocaleString('en')} samples ${since} were rejected.${bad < all * SHARE.enters ? ENDS : ''}${mostCommonReason()}`;
    return { sinceMs: rejecting?.sinceMs ?? now(), countedMs: now(), counted: bad + all, detail };
  };

  return {
    count: (samples: number, rejectedSamples: number, reasons: Readonly<Record<string, number>>) => {
      received.count(samples, now());
      rejected.count(rejectedSamples, now());
      for (const [reason, count] of Object.entries(reasons)) {
        const counter = byReason.get(reason) ?? createRollingCounter({ slotMs: 1_000, slots: WINDOW_S });
        byReason.set(reason, counter);
        counter.count(count, now());
      }
    },
    /** Undefined: the pipeline is not rejecting. */
    rejecting: () => (rejecting = evaluate()),
  };
};
