/** What was sent by a way, and which of it was acknowledged. */
export type SentLedger = { readonly sent: number; readonly acknowledged: readonly number[] };

/** Numbers what is sent. */
export const createSentLedger = () => {
  const acknowledged = new Set<number>();
  let sent = 0;
  return {
    /** The numbers of the next values, which count as sent from now on. */
    next: (count: number): number[] => Array.from({ length: count }, () => sent++),
    acknowledge: (numbers: readonly number[]): void => {
      for (const n of numbers) acknowledged.add(n);
    },
    told: (): SentLedger => ({ sent, acknowledged: [...acknowledged] }),
  };
};

export type Sender = {
  told(): SentLedger;
  /** Sends nothing new; resolves once what was sent is acknowledged or given up. */
  stop(): Promise<void>;
};
