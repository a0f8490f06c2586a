const CLOSE_WITHIN_MS = 2_000;

/**
 * Polls immediately and then at every interval, without drift. Polls never overlap; intervals that pass during a poll
 * are skipped. A poll that fails after the process did not run is repeated once: its time was up before it could
 * read the response.
 */
export const startPolling = ({
  intervalMs,
  mayPoll,
  pausedMs,
  poll,
  onPolled,
  onFailed,
}: {
  intervalMs: number;
  /** Whether to poll now. Otherwise the poll is skipped. */
  mayPoll: () => boolean;
  /** How long the process did not run so far, in ms. */
  pausedMs: () => number;
  poll: () => Promise<void>;
  onPolled: () => void;
  onFailed: (error: unknown) => void;
}): { close(): Promise<void> } => {
  let dueAt = performance.now();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const run = async (isRepeated = false): Promise<void> => {
    const pausedBeforeMs = pausedMs();
    try {
      if (mayPoll()) {
        await poll();
        onPolled();
      }
    } catch (error) {
      if (!isClosed && !isRepeated && pausedMs() > pausedBeforeMs) return run(true);
      onFailed(error);
    }
    if (isClosed) return;
    const now = performance.now();
    dueAt += intervalMs * Math.max(1, Math.ceil((now - dueAt) / intervalMs));
    timer = setTimeout(() => {
      running = run();
    }, dueAt - now);
  };
  let running = run();

  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      // A poll that hangs must not keep the service from stopping.
      await new Promise<void>((resolve) => {
        const timeout = setTimeout(resolve, CLOSE_WITHIN_MS);
        void running.then(() => {
          clearTimeout(timeout);
          return resolve();
        });
      });
    },
  };
};
