import type { ClockJump } from '../platform/clock.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const MINUTES = 60;
/** Over how many whole seconds "now" is averaged. */
const NOW_SECONDS = 10;

/** Counts accepted values by second and by minute, in memory: what the overview shows of the last hour. */
export const createIngestRate = () => {
  const perMinute = new Map<number, number>();
  const perSecond = new Map<number, number>();

  const add = (counts: Map<number, number>, slot: number, values: number, keep: number) => {
    counts.set(slot, (counts.get(slot) ?? 0) + values);
    for (const old of counts.keys()) if (old <= slot - keep) counts.delete(old);
  };

  const shiftSlots = (counts: Map<number, number>, slotMs: number, { toMs, jumpMs }: ClockJump) => {
    const current = Math.floor(toMs / slotMs);
    const by = Math.round(jumpMs / slotMs);
    for (const [slot, values] of counts) {
      if (slot <= current) continue;
      counts.delete(slot);
      const shifted = Math.min(slot + by, current);
      counts.set(shifted, (counts.get(shifted) ?? 0) + values);
    }
  };

  return {
    /** Moves counts that would be in the future after the clock is set back. */
    shift: (jump: ClockJump) => {
      shiftSlots(perMinute, MINUTE_MS, jump);
      shiftSlots(perSecond, SECOND_MS, jump);
    },
    count: (values: number, atMs: number) => {
      add(perMinute, Math.floor(atMs / MINUTE_MS), values, MINUTES);
      add(perSecond, Math.floor(atMs / SECOND_MS), values, NOW_SECONDS + 1);
    },
    read: (nowMs: number): { perSecond: number; perMinute: { ts: number; count: number }[] } => {
      const second = Math.floor(nowMs / SECOND_MS);
      let recent = 0;
      for (const [slot, values] of perSecond)
        if (slot < second && slot >= second - NOW_SECONDS) recent += values;
      const minute = Math.floor(nowMs / MINUTE_MS);
      return {
        perSecond: recent / NOW_SECONDS,
        perMinute: Array.from({ length: MINUTES }, (_, index) => {
          const slot = minute - MINUTES + 1 + index;
          return { ts: slot * MINUTE_MS, count: perMinute.get(slot) ?? 0 };
        }),
      };
    },
  };
};
export type IngestRate = ReturnType<typeof createIngestRate>;
