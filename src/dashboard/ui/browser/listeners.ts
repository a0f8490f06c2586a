/** Functions that are called back until they are unsubscribed. */
export const createListeners = <Args extends readonly unknown[] = []>() => {
  const listeners = new Set<(...args: Args) => void>();
  return {
    /** Returns a function that unsubscribes. */
    subscribe: (listener: (...args: Args) => void): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    notify: (...args: Args): void => {
      for (const listener of listeners) listener(...args);
    },
    isEmpty: (): boolean => listeners.size === 0,
  };
};
