/**
 * What `work` comes to, or the reason of the first signal that ends before. It leaves nothing behind at a signal that
 * outlives it, as Promise.race and AbortSignal.any would.
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
