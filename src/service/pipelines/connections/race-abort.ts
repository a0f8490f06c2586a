/**
 * Resolves like `work`, or rejects with the reason of the first signal that aborts before. Leaves no listener on a
 * signal that outlives it, unlike Promise.race and AbortSignal.any.
 */
export const raceAbort = <T>(work: Promise<T>, ...signals: readonly AbortSignal[]): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signals.find(({ aborted }) => aborted)?.reason as Error);
    for (const signal of signals) signal.addEventListener('abort', stop);
    if (signals.some(({ aborted }) => aborted)) stop();
    void work.then(resolve, reject).finally(() => {
      for (const signal of signals) signal.removeEventListener('abort', stop);
    });
  });
