/** Tasks in queues: those of one key run one after another, those of different keys at the same time. */
export type TaskQueues = {
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Whether a task of this key runs or waits. */
  isBusy(key: string): boolean;
  /** Resolves after the tasks that run or wait now. */
  settled(): Promise<void>;
};

/** A task that fails rejects for its caller alone. */
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
