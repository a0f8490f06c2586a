/** Messages that a paused pipeline rejected. Times are epoch ms. */
export type PausedMessages = { count: number; sinceMs: number; lastAtMs: number };

/** Counts the messages that senders still send to paused pipelines. Kept in memory, because senders retry. */
export const createPausedMessages = (now: () => number) => {
  const rejected = new Map<string, PausedMessages>();
  return {
    record: (pipelineId: string): void => {
      const { count, sinceMs } = rejected.get(pipelineId) ?? { count: 0, sinceMs: now() };
      rejected.set(pipelineId, { count: count + 1, sinceMs, lastAtMs: now() });
    },
    /** By pipeline ID, those with messages after `afterMs`. */
    list: (afterMs: number): ReadonlyMap<string, PausedMessages> =>
      new Map([...rejected].filter(([, { lastAtMs }]) => lastAtMs > afterMs)),
    delete: (pipelineId: string): void => void rejected.delete(pipelineId),
  };
};
