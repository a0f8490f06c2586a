/** The number of values that a route sent, and the numbers of the acknowledged ones. */
export type SentSummary = { readonly sent: number; readonly acknowledged: readonly number[] };

/** Numbers the values of a route and records which are acknowledged. Calls `onAcknowledged` immediately. */
export const createSentLedger = (onAcknowledged: () => void = () => undefined) => {
  const acknowledged = new Set<number>();
  let sent = 0;
  return {
    /** Returns the numbers of the next values, and counts them as sent. */
    next: (count: number): number[] => Array.from({ length: count }, () => sent++),
    acknowledge: (numbers: readonly number[]): void => {
      onAcknowledged();
      for (const n of numbers) acknowledged.add(n);
    },
    summary: (): SentSummary => ({ sent, acknowledged: [...acknowledged] }),
  };
};
export type SentLedger = ReturnType<typeof createSentLedger>;

export type Sender = {
  /** Stops sending. Resolves after all sent values are acknowledged or given up. */
  stop(): Promise<void>;
};
