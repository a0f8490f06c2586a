/** The time that connections share in one iteration of the event loop. Other parts of the service run in between. */
const TURN_MS = 5;

/** Shares the time of the event loop among connections, so that no client delays all others. */
export const createTurns = () => {
  const waiting = new Set<() => void>();
  let endsAt: number | undefined;

  const hasTime = (): boolean => {
    if (endsAt === undefined) {
      endsAt = performance.now() + TURN_MS;
      setImmediate(begin);
    }
    return performance.now() < endsAt;
  };
  const begin = (): void => {
    endsAt = undefined;
    if (waiting.size === 0) return;
    for (const work of waiting) {
      if (!hasTime()) break;
      waiting.delete(work);
      work();
    }
  };

  return {
    /** Whether the current iteration has time left. */
    hasTime,
    /** Calls `work` in a later iteration, after those that wait already. */
    wait: (work: () => void): void => {
      waiting.add(work);
      hasTime();
    },
    cancel: (work: () => void): void => void waiting.delete(work),
  };
};

export type Turns = ReturnType<typeof createTurns>;
