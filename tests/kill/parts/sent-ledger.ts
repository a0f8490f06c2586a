/** The number of samples that a route sent, and the numbers of the acknowledged ones. */
export type SentSummary = { readonly sent: number; readonly acknowledged: readonly number[] };

/** Numbers the samples of a route and records when they are acknowledged. Calls `onAcknowledged` immediately. */
export const createSentLedger = (onAcknowledged: () => void = () => undefined) => {
  /** By number, in epoch ms. Infinity: not acknowledged. */
  const acknowledgedAtMs: number[] = [];
  return {
    /** Returns the numbers of the next samples, and counts them as sent. */
    next: (count: number): number[] =>
      Array.from({ length: count }, () => acknowledgedAtMs.push(Infinity) - 1),
    acknowledge: (numbers: readonly number[]): void => {
      onAcknowledged();
      const nowMs = Date.now();
      for (const n of numbers) acknowledgedAtMs[n] = Math.min(acknowledgedAtMs[n]!, nowMs);
    },
    /** What was sent until now, and what of it was acknowledged before a time. */
    summary: (beforeMs = Infinity): SentSummary => ({
      sent: acknowledgedAtMs.length,
      acknowledged: [...acknowledgedAtMs.keys()].filter((n) => acknowledgedAtMs[n]! < beforeMs),
    }),
  };
};
export type SentLedger = ReturnType<typeof createSentLedger>;

export type Sender = {
  /** Stops sending. Resolves after all sent samples are acknowledged or given up. */
  stop(): Promise<void>;
};
