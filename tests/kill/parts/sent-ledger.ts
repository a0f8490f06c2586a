/** What was sent by a way, and which of it was acknowledged. */
export type SentTold = { readonly sent: number; readonly acknowledged: readonly number[] };

/** Numbers sent values. `onAcknowledged` is called immediately. */
export const createSentLedger = (onAcknowledged: () => void = () => undefined) => {
  const acknowledged = new Set<number>();
  let sent = 0;
  return {
    /** The numbers of the next values, which count as sent from now on. */
    next: (count: number): number[] => Array.from({ length: count }, () => sent++),
    acknowledge: (numbers: readonly number[]): void => {
      onAcknowledged();
      for (const n of numbers) acknowledged.add(n);
    },
    told: (): SentTold => ({ sent, acknowledged: [...acknowledged] }),
  };
};
export type SentLedger = ReturnType<typeof createSentLedger>;

export type Sender = {
  /** Stops sending. Resolves after all sent values are acknowledged or given up. */
  stop(): Promise<void>;
};
