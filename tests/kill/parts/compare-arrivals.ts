import { numberOf, type Reading } from './readings.ts';
import type { SentTold } from './sent-ledger.ts';

export type Comparison = {
  readonly sent: number;
  readonly acknowledged: number;
  /** Different values that were sent and are there. */
  readonly delivered: number;
  /** Acknowledged but missing. */
  readonly lost: readonly number[];
  /** There more than once. */
  readonly duplicated: readonly number[];
  /** Present but never sent. */
  readonly strange: readonly Reading[];
};

/** What is at a destination, held against what was sent to it. */
export const compareArrivals = (
  way: string,
  { sent, acknowledged }: SentTold,
  arrivals: readonly Reading[],
): Comparison => {
  const times = new Map<number, number>();
  const strange: Reading[] = [];
  for (const reading of arrivals) {
    const n = numberOf(way, reading, sent);
    if (n === undefined) strange.push(reading);
    else times.set(n, (times.get(n) ?? 0) + 1);
  }
  return {
    sent,
    acknowledged: acknowledged.length,
    delivered: times.size,
    lost: acknowledged.filter((n) => !times.has(n)),
    duplicated: [...times].filter(([, count]) => count > 1).map(([n]) => n),
    strange,
  };
};
