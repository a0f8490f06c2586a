import { numberOf, type Reading } from './readings.ts';
import type { SentSummary } from './sent-ledger.ts';

export type Comparison = {
  readonly sent: number;
  readonly acknowledged: number;
  /** The number of different sent samples that arrived. */
  readonly delivered: number;
  /** Acknowledged but missing. */
  readonly lost: readonly number[];
  /** Arrived more than once. */
  readonly duplicated: readonly number[];
  /** Arrived but never sent. */
  readonly neverSent: readonly Reading[];
};

/** Compares the samples at a destination with those that were sent to it. */
export const compareArrivals = (
  route: string,
  { sent, acknowledged }: SentSummary,
  arrivals: readonly Reading[],
): Comparison => {
  const times = new Map<number, number>();
  const neverSent: Reading[] = [];
  for (const reading of arrivals) {
    const n = numberOf(route, reading, sent);
    if (n === undefined) neverSent.push(reading);
    else times.set(n, (times.get(n) ?? 0) + 1);
  }
  return {
    sent,
    acknowledged: acknowledged.length,
    delivered: times.size,
    lost: acknowledged.filter((n) => !times.has(n)),
    duplicated: [...times].filter(([, count]) => count > 1).map(([n]) => n),
    neverSent,
  };
};
