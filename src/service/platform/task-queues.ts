/** Runs tasks of the same key one after another, and tasks of different keys at the same time. */
export type TaskQueues = {
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Whether a task of this key is running or waiting. */
  isBusy(key: string): boolean;
  /** Resolves after all tasks that are running or waiting now. */
  settled(): Promise<void>;
};

/** A failed task only rejects for its own caller. */
export const createTaskQueues = (): TaskQueues => {
  const last = new Map<string, Promise<void>>();
  return {
    run: (key, task) => {
      const done = (last.get(key) ?? Promise.resolve()).then(task);
      const settled = done
        .then(
          () => undefined,
          () => undefined,
        )
        .finally(() => {
          if (last.get(key) === settled) last.delete(key);
        });
      last.set(key, settled);
      return done;
    },
    isBusy: (key) => last.has(key),
    settled: async () => {
      await Promise.all(last.values());
    },
  };
};
