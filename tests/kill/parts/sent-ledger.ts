/** What was sent by a way, and which of it was acknowledged. */
export type SentTold = { readonly sent: number; readonly acknowledged: readonly number[] };

/** Numbers what is sent. `onAcknowledged` is called at once. */
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
  /** Sends nothing new; resolves once what was sent is acknowledged or given up. */
  stop(): Promise<void>;
};
