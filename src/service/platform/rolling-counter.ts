import type { ClockJump } from './clock.ts';

/** Counts by slot of time, of `slotMs` each. */
export type RollingCounter = {
  count(amount: number, atMs: number): void;
  /** The total of `slots` slots, which end `before` slots before the current one. */
  sum(nowMs: number, slots: number, before?: number): number;
  /** Moves counts that would be in the future after the clock is set back. */
  shift(jump: ClockJump): void;
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
  const add = (slot: number, amount: number) => counts.set(slot, (counts.get(slot) ?? 0) + amount);

  return {
    count: (amount, atMs) => {
      const slot = slotOf(atMs);
      if (!counts.has(slot)) for (const old of counts.keys()) if (old <= slot - kept) counts.delete(old);
      add(slot, amount);
    },
    sum: (nowMs, slots, before = 0) => {
      const last = slotOf(nowMs) - before;
      let total = 0;
      for (const [slot, amount] of counts) if (slot > last - slots && slot <= last) total += amount;
      return total;
    },
    shift: ({ toMs, jumpMs }) => {
      const current = slotOf(toMs);
      const by = Math.round(jumpMs / slotMs);
      for (const [slot, amount] of counts) {
        if (slot <= current) continue;
        counts.delete(slot);
        add(Math.min(slot + by, current), amount);
      }
    },
  };
};
