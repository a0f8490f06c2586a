/** Counts the calls of a store, so that it closes after them. */
export const createRunningCalls = () => {
  const running = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    /** @throws if the store is closed */
    run: async <T>(work: () => Promise<T>): Promise<T> => {
      if (isClosed) throw new Error('The telemetry store is closed.');
      const call = work();
      running.add(call);
      try {
        return await call;
      } finally {
        running.delete(call);
      }
    },
    /** Rejects later calls, and waits for running ones. */
    close: async (): Promise<void> => {
      isClosed = true;
      await Promise.allSettled(running);
    },
  };
};
