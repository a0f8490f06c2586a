/** Counts by slot of time, of `slotMs` each. */
export type RollingCounter = {
  count(amount: number, atMs: number): void;
  /** The total of `slots` slots, which end `before` slots before the current one. */
  sum(nowMs: number, slots: number, before?: number): number;
};

/** Keeps counts of the last `slots` slots in memory. */
export const createRollingCounter = ({
  slotMs,
  slots: kept,
}: {
  slotMs: number;
  slots: number;
}): RollingCounter => {
  const counts = new Map<number, number>();
  const slotOf = (ms: number): number => Math.floor(ms / slotMs);

  return {
    count: (amount, atMs) => {
      const slot = slotOf(atMs);
      if (!counts.has(slot)) for (const old of counts.keys()) if (old <= slot - kept) counts.delete(old);
      counts.set(slot, (counts.get(slot) ?? 0) + amount);
    },
    sum: (nowMs, slots, before = 0) => {
      const last = slotOf(nowMs) - before;
      let total = 0;
      for (const [slot, amount] of counts) if (slot > last - slots && slot <= last) total += amount;
      return total;
    },
  };
};
